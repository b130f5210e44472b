#include "weft/tasks/classification/contrastive.h"

#include <algorithm>
#include <cmath>

#include "weft/ops/add.h"
#include "weft/ops/convert.h"
#include "weft/ops/losses/regression.h"
#include "weft/ops/matmul.h"
#include "weft/ops/rows/unit_rows.h"
#include "weft/ops/scale.h"

namespace weft::tasks {
namespace {

// The size of the intersection of two sets of labels, in ascending order, by that of their union.
double common_share(std::span<const int32_t> a, std::span<const int32_t> b) {
  std::vector<int32_t> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  const auto all = static_cast<double>(a.size() + b.size() - common.size());
  return all == 0 ? 0 : static_cast<double>(common.size()) / all;
}

// What the cosines of B texts should be, and the weight of each in the loss of one batch.
struct PairTargets {
  std::vector<double> cosines, weights;  // [B, B]
};

PairTargets targets_of(const data::Labels& labels) {
  const int64_t B = labels.examples();
  std::vector<std::vector<int32_t>> sorted;
  for (int64_t i = 0; i < B; ++i) {
    sorted.emplace_back(labels[i].begin(), labels[i].end());
    std::ranges::sort(sorted.back());
  }
  PairTargets out;
  int64_t near = 0;
  for (int64_t i = 0; i < B; ++i) {
    for (int64_t j = 0; j < B; ++j) {
      const auto share =
          common_share(sorted[static_cast<size_t>(i)], sorted[static_cast<size_t>(j)]);
      out.cosines.push_back(share);
      if (i != j && share > 0) ++near;
    }
  }
  const int64_t far = B * (B - 1) - near;
  for (int64_t pair = 0; pair < B * B; ++pair) {
    const bool is_near = out.cosines[static_cast<size_t>(pair)] > 0;
    const bool is_same = pair / B == pair % B;
    out.weights.push_back(is_same ? 0 : 1 / static_cast<double>(is_near ? near : far));
  }
  return out;
}

}  // namespace

ops::Loss pair_loss(const Tensor& vectors, const data::Labels& labels, double weight,
                    ops::Tape* tape) {
  const Tensor wide = ops::convert(vectors, sum_type(vectors.dtype()), tape);
  const Tensor x = ops::unit_rows(wide, tape);                  // [B, C]
  const Tensor cosines = ops::matmul(x, x, {.b = true}, tape);  // [B, B]
  PairTargets targets = targets_of(labels);
  for (size_t pair = 0; pair < targets.weights.size(); ++pair) {
    targets.weights[pair] = std::sqrt(targets.weights[pair]);
    targets.cosines[pair] *= targets.weights[pair];
  }
  const Tensor factors = Tensor::from(targets.weights, cosines.shape()).to(x.dtype());
  const Tensor expected = Tensor::from(targets.cosines, cosines.shape()).to(x.dtype());
  // The error is a mean over columns.
  const auto B = static_cast<double>(x.rows());
  ops::Loss out =
      ops::squared_error(ops::multiply(cosines, factors, tape), expected, weight * B * B, tape);
  out.total *= B * B;
  return out;
}

ops::Loss contrastive_loss(const models::Classifier& model, const data::Batch& batch,
                           const models::ClassifierLoss& params, const nn::Context& context) {
  const Tensor vectors = model.vectors(batch.fields[0], context);  // [B, C]
  const auto& labels = std::get<data::Labels>(batch.fields[1]);
  const ops::Loss pairs = pair_loss(vectors, labels, params.weight, context.tape);
  Tensor fixed = vectors;
  fixed.node = autograd::kConstant;
  ops::Loss out = model.loss_of_features(model.dropped(fixed, labels.segments.first, context),
                                         batch, params, context.tape);
  out.value = ops::add(out.value, pairs.value, context.tape);
  out.total += pairs.total;
  return out;
}

}  // namespace weft::tasks
