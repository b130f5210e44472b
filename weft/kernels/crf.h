// Linear-chain conditional random fields (Lafferty et al. 2001; on the output of a network, Lample
// et al. 2016, arXiv 1603.01360): the labels y of a sentence of T rows have the score
//   s(y) = start[y_1] + sum_t emissions[t, y_t] + sum_t transitions[y_t, y_t+1] + end[y_T]
// and the probability exp(s(y)) / Z, Z the sum of exp(s) over all labellings that are allowed.
#ifndef WEFT_KERNELS_CRF_H_
#define WEFT_KERNELS_CRF_H_

#include <span>
#include <string_view>

#include "weft/kernels/cost.h"

namespace weft::kernels {

// Which labels may stand where; 0 where not. An empty list allows all. Arithmetic is in double.
struct CrfConstraints {
  std::span<const uint8_t> transitions;  // [C * C], from * C + to
  std::span<const uint8_t> start, end;   // [C]
};

// Sentence b is rows offsets[b] to offsets[b + 1]; one without rows has Z = 1. The views may have
// different types, F32, BF16 or F64.
struct CrfScores {
  View emissions;                    // [N, C]
  View transitions;                  // [C, C], from, to
  View start, end;                   // [1, C]
  std::span<const int32_t> offsets;  // [B + 1]
  CrfConstraints constraints = {};

  int64_t labels() const { return emissions.cols; }  // C
  int64_t sentences() const { return std::ssize(offsets) - 1; }
  Cost cost() const {
    const double pairs = static_cast<double>(emissions.size()) * static_cast<double>(labels());
    return {2 * pairs, bytes_of({emissions, transitions})};
  }
};

// loss[b] = log Z - s(labels of sentence b), in nats: infinite where they are not allowed.
struct Crf {
  CrfScores scores;
  std::span<const int32_t> labels;  // [N]
  double* loss = nullptr;           // [B]

  static constexpr std::string_view kName = "crf";
  Cost cost() const { return scores.cost(); }
};

// The gradients of weight * the sum of losses, 0 for a sentence whose loss is infinite. d_emissions
// is overwritten; the others, F32 or F64, are added to. Each may be empty.
struct CrfBackward {
  CrfScores scores;
  std::span<const int32_t> labels;
  double weight = 1;
  View d_emissions = {}, d_transitions = {}, d_start = {}, d_end = {};

  static constexpr std::string_view kName = "crf backward";
  Cost cost() const {
    const Cost forward = scores.cost();
    return {4 * forward.flop, 2 * forward.bytes};
  }
};

// The probability of each label at each row, given the sentence: marginals [N, C], F32 or F64.
struct CrfMarginals {
  CrfScores scores;
  View marginals = {};

  static constexpr std::string_view kName = "crf marginals";
  Cost cost() const {
    const Cost forward = scores.cost();
    return {2 * forward.flop, 2 * forward.bytes};
  }
};

// The labels of the highest score (Viterbi 1967). Of labellings with equal scores it is the one
// with the lowest last label, then the lowest one before it, and so on.
struct CrfDecode {
  CrfScores scores;
  int32_t* labels = nullptr;     // [N]
  double* path_score = nullptr;  // [B] s, or null; -infinity where nothing is allowed

  static constexpr std::string_view kName = "crf decode";
  Cost cost() const { return scores.cost(); }
};

namespace ref {
void run(const Crf& call);
void run(const CrfBackward& call);
void run(const CrfMarginals& call);
void run(const CrfDecode& call);
}  // namespace ref

// Threads share sentences; no bit depends on their number.
namespace cpu {
void run(const Crf& call);
void run(const CrfBackward& call);
void run(const CrfMarginals& call);
void run(const CrfDecode& call);
}  // namespace cpu

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_CRF_H_
