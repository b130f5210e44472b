// Random conditional random fields for kernel tests.
#ifndef WEFT_TESTS_KERNELS_CRF_PROBLEM_H_
#define WEFT_TESTS_KERNELS_CRF_PROBLEM_H_

#include <vector>

#include "tests/kernels/buffer.h"
#include "tests/kernels/cases.h"
#include "weft/kernels/crf.h"
#include "weft/kernels/ref/crf.h"

namespace weft::kernels::test {

inline constexpr auto kReference = [](const auto& call) { ref::run(call); };

// Random scores in [-size, size) and random labels.
template <class T>
struct CrfProblem {
  int64_t labels;  // C
  std::vector<int32_t> offsets;
  Buffer<T> emissions, transitions, start, end;
  std::vector<int32_t> truth;
  std::vector<uint8_t> may_follow, may_start, may_end;  // empty: all allowed

  CrfProblem(const std::vector<int32_t>& lengths, int64_t label_count, double size = 1,
             int64_t slack = 0)
      : labels(label_count),
        offsets(offsets_of(lengths)),
        emissions(Buffer<T>::random(offsets.back(), labels, 1, slack)),
        transitions(Buffer<T>::random(labels, labels, 2, slack)),
        start(Buffer<T>::random(1, labels, 3)),
        end(Buffer<T>::random(1, labels, 4)) {
    for (Buffer<T>* x : {&emissions, &transitions, &start, &end}) {
      for (int64_t i = 0; i < x->rows(); ++i) {
        for (int64_t j = 0; j < labels; ++j) x->at(i, j) *= static_cast<T>(size);
      }
    }
    RandomStream draws(7, 5);
    for (int32_t n = 0; n < offsets.back(); ++n) {
      truth.push_back(static_cast<int32_t>(draws.below(static_cast<uint64_t>(labels))));
    }
  }

  CrfScores scores() {
    return {emissions, transitions, start, end, offsets, {may_follow, may_start, may_end}};
  }
};

// The outputs of all kernels.
template <class T>
struct CrfResult {
  std::vector<double> loss, path_score, log_partition;
  std::vector<int32_t> best;
  Buffer<T> d_emissions, d_transitions, d_start, d_end, marginals;
  Buffer<double> pairs;  // as often as a label follows another, on average

  explicit CrfResult(const CrfProblem<T>& p)
      : loss(p.offsets.size() - 1),
        path_score(loss),
        log_partition(loss),
        best(p.truth),
        d_emissions(p.offsets.back(), p.labels, 2),
        d_transitions(p.labels, p.labels, 1),
        d_start(1, p.labels),
        d_end(1, p.labels),
        marginals(p.offsets.back(), p.labels),
        pairs(p.labels, p.labels, 1) {}

  // `run` is the function of ref or cpu.
  template <class Run>
  void fill(CrfProblem<T>& p, const Run& run, double weight = 1) {
    run(Crf{p.scores(), p.truth, loss.data()});
    run(CrfBackward{p.scores(), p.truth, weight, d_emissions, d_transitions, d_start, d_end});
    run(CrfMarginals{p.scores(), marginals, pairs, log_partition.data()});
    run(CrfDecode{p.scores(), best.data(), path_score.data()});
  }
};

}  // namespace weft::kernels::test

#endif  // WEFT_TESTS_KERNELS_CRF_PROBLEM_H_
