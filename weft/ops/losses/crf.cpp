#include "weft/ops/losses/crf.h"

#include <cmath>

#include "weft/kernels/backend.h"
#include "weft/kernels/crf.h"
#include "weft/kernels/elementwise.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

void check(const Tensor& emissions, const CrfWeights& weights, const Layout& rows,
           const AllowedTagsPtr& allowed) {
  const int64_t labels = emissions.cols();
  if (labels < 1) fail<ShapeError>("crf", "emissions of no label");
  check_shape("crf", "emissions", emissions, rows.count(), -1);
  check_shape("crf", "transitions", weights.transitions, labels, labels);
  check_shape("crf", "start", weights.start, 1, labels);
  check_shape("crf", "end", weights.end, 1, labels);
  if (allowed == nullptr) return;
  if (std::ssize(allowed->transitions) != labels * labels || std::ssize(allowed->start) != labels ||
      std::ssize(allowed->end) != labels) {
    fail<ShapeError>("crf", "rules for {} labels; expected {}", allowed->start.size(), labels);
  }
}

void check_targets(const CrfTargets& targets, int64_t labels) {
  if (std::ssize(*targets.labels) != targets.rows->count()) {
    fail<ShapeError>("crf", "{} labels for {} rows", targets.labels->size(), targets.rows->count());
  }
  for (const int32_t label : *targets.labels) {
    if (label >= 0 && label < labels) continue;
    fail<ShapeError>("crf", "label {}; expected 0 to {}", label, labels - 1);
  }
}

kernels::CrfScores scores_of(const Tensor& emissions, const CrfWeights& weights, const Layout& rows,
                             const AllowedTagsPtr& allowed) {
  kernels::CrfScores out{.emissions = emissions,
                         .transitions = weights.transitions,
                         .start = weights.start,
                         .end = weights.end,
                         .offsets = rows.segments.offsets};
  if (allowed != nullptr) {
    out.constraints = {allowed->transitions, allowed->start, allowed->end};
  }
  return out;
}

// Zeros for the gradient of a weight.
Tensor sums_like(const Tensor& weight) {
  return Tensor::zeros(weight.shape(), sum_type(weight.dtype()));
}

}  // namespace

CrfLoss crf(const Tensor& emissions, const CrfWeights& weights, const CrfTargets& targets,
            const CrfParams& params, Tape* tape) {
  check(emissions, weights, *targets.rows, params.allowed);
  check_targets(targets, emissions.cols());
  CrfLoss out;
  out.losses.resize(static_cast<size_t>(targets.rows->sequences()));
  backend_of(emissions)(
      kernels::Crf{.scores = scores_of(emissions, weights, *targets.rows, params.allowed),
                   .labels = *targets.labels,
                   .loss = out.losses.data()});
  double total = 0;
  for (size_t b = 0; b < out.losses.size(); ++b) {
    if (std::isinf(out.losses[b])) {
      out.losses[b] = 0;
      out.impossible.push_back(static_cast<int64_t>(b));
    }
    total += out.losses[b];
  }
  out.value = Tensor::full({1, 1}, params.weight * total, sum_type(emissions.dtype()));
  record(tape, out.value, {&emissions, &weights.transitions, &weights.start, &weights.end},
         [emissions, transitions = weights.transitions, start = weights.start, end = weights.end,
          targets, params](Backward& b) {
           const CrfWeights kept{transitions, start, end};
           const Tensor d_emissions = Tensor::empty(emissions.shape(), emissions.dtype());
           const Tensor sums[] = {sums_like(transitions), sums_like(start), sums_like(end)};
           backend_of(emissions)(kernels::CrfBackward{
               .scores = scores_of(emissions, kept, *targets.rows, params.allowed),
               .labels = *targets.labels,
               .weight = params.weight * b.d_output().item(),
               .d_emissions = d_emissions,
               .d_transitions = sums[0],
               .d_start = sums[1],
               .d_end = sums[2]});
           b.add(0, d_emissions);
           for (int i = 0; i < 3; ++i) {
             b.accumulate(i + 1, [&](const Tensor& d) {
               backend_of(d)(kernels::Accumulate{.alpha = 1, .x = sums[i], .y = d});
             });
           }
         });
  return out;
}

CrfPaths crf_decode(const Tensor& emissions, const CrfWeights& weights, const LayoutPtr& rows,
                    const AllowedTagsPtr& allowed) {
  check(emissions, weights, *rows, allowed);
  CrfPaths out{std::vector<int32_t>(static_cast<size_t>(rows->count())),
               std::vector<double>(static_cast<size_t>(rows->sequences()))};
  backend_of(emissions)(kernels::CrfDecode{.scores = scores_of(emissions, weights, *rows, allowed),
                                           .labels = out.labels.data(),
                                           .path_score = out.scores.data()});
  return out;
}

CrfExpectation crf_expectation(const Tensor& emissions, const CrfWeights& weights,
                               const LayoutPtr& rows, const AllowedTagsPtr& allowed) {
  check(emissions, weights, *rows, allowed);
  const int64_t labels = emissions.cols();
  CrfExpectation out{Tensor::empty(emissions.shape(), DType::kF64),
                     Tensor::zeros({labels, labels}, DType::kF64),
                     std::vector<double>(static_cast<size_t>(rows->sequences()))};
  backend_of(emissions)(
      kernels::CrfMarginals{.scores = scores_of(emissions, weights, *rows, allowed),
                            .marginals = out.labels,
                            .transitions = out.transitions,
                            .log_partition = out.log_partitions.data()});
  return out;
}

Tensor crf_marginals(const Tensor& emissions, const CrfWeights& weights, const LayoutPtr& rows,
                     const AllowedTagsPtr& allowed) {
  check(emissions, weights, *rows, allowed);
  Tensor out = Tensor::empty(emissions.shape(), sum_type(emissions.dtype()));  // [N, C]
  backend_of(emissions)(kernels::CrfMarginals{
      .scores = scores_of(emissions, weights, *rows, allowed), .marginals = out});
  return out;
}

}  // namespace weft::ops
