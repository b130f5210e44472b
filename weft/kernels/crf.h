// Linear-chain conditional random fields (Lafferty et al. 2001; with neural emissions: Lample et
// al. 2016, arXiv 1603.01360). A labelling y of a sequence of T rows has the score
//   s(y) = start[y_1] + sum_t emissions[t, y_t] + sum_t transitions[y_t, y_t+1] + end[y_T]
// and the probability exp(s(y)) / Z, where Z is the sum of exp(s) over all allowed labellings.
// Arithmetic is in double.
#ifndef WEFT_KERNELS_CRF_H_
#define WEFT_KERNELS_CRF_H_

#include <span>
#include <string_view>

#include "weft/kernels/cost.h"

namespace weft::kernels {

// Allowed transitions, start and end labels: 0 means forbidden. An empty list allows all.
struct CrfConstraints {
  std::span<const uint8_t> transitions;  // [C * C], from * C + to
  std::span<const uint8_t> start, end;   // [C]
};

// Sequence b has the rows [offsets[b], offsets[b + 1]); an empty one has Z = 1. The views may have
// different types: F32, BF16 or F64.
struct CrfScores {
  View emissions;                    // [N, C]
  View transitions;                  // [C, C]: from, to
  View start, end;                   // [1, C]
  std::span<const int32_t> offsets;  // [B + 1]
  CrfConstraints constraints = {};

  int64_t labels() const { return emissions.cols; }  // C
  int64_t sequences() const { return std::ssize(offsets) - 1; }
  Cost cost() const {
    const double pairs = static_cast<double>(emissions.size()) * static_cast<double>(labels());
    return {2 * pairs, bytes_of({emissions, transitions})};
  }
};

// loss[b] = log Z - s(labels of sequence b), in nats; infinite for forbidden labels.
struct Crf {
  CrfScores scores;
  std::span<const int32_t> labels;  // [N]
  double* loss = nullptr;           // [B]

  static constexpr std::string_view kName = "crf";
  Cost cost() const { return scores.cost(); }
};

// Gradients of weight * sum of losses; 0 for sequences with infinite loss. d_emissions is
// overwritten; the others, F32 or F64, are accumulated into. Each may be empty.
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

// marginals [N, C], F32 or F64: the probability of each label at each row, given the sequence.
// transitions [C, C], F32 or F64, unless empty, is accumulated into: how often a label follows
// another, on average over the labellings, summed over sequences. log_partition [B], unless null:
// log Z, -infinity if no labelling is allowed.
struct CrfMarginals {
  CrfScores scores;
  View marginals = {};
  View transitions = {};
  double* log_partition = nullptr;

  static constexpr std::string_view kName = "crf marginals";
  Cost cost() const {
    const Cost forward = scores.cost();
    return {2 * forward.flop, 2 * forward.bytes};
  }
};

// The labelling with the highest score (Viterbi 1967). Ties select the lowest last label, then the
// lowest label before it, and so on.
struct CrfDecode {
  CrfScores scores;
  int32_t* labels = nullptr;     // [N]
  double* path_score = nullptr;  // [B], or null; -infinity if no labelling is allowed

  static constexpr std::string_view kName = "crf decode";
  Cost cost() const { return scores.cost(); }
};

namespace ref {
void run(const Crf& call);
void run(const CrfBackward& call);
void run(const CrfMarginals& call);
void run(const CrfDecode& call);
}  // namespace ref

// Parallel over sequences. Bit-identical for any number of threads.
namespace cpu {
void run(const Crf& call);
void run(const CrfBackward& call);
void run(const CrfMarginals& call);
void run(const CrfDecode& call);
}  // namespace cpu

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_CRF_H_
