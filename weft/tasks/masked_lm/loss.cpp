#include "weft/tasks/masked_lm/loss.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "weft/core/error.h"
#include "weft/data/batcher.h"
#include "weft/ops/fused/projection_loss.h"

namespace weft::tasks {
namespace {

constexpr data::BatchLimits kValidatedLimits = {.rows = 4096};
constexpr PhiloxKey kValidationKey = {0x6D61736Bu, 0};
constexpr int64_t kRowsTogether = 256;  // whose logits exist at a time

bool are_ones(const std::vector<float>& weights) {
  return std::ranges::all_of(weights, [](float weight) { return weight == 1; });
}

// The rows whose highest score is that of their label.
int64_t correct_rows(const models::MaskedLm& model, const Tensor& states,
                     const std::vector<int32_t>& labels) {
  int64_t out = 0;
  for (int64_t begin = 0; begin < states.rows(); begin += kRowsTogether) {
    const int64_t end = std::min(begin + kRowsTogether, states.rows());
    const Tensor logits = model.logits(states.row_range(begin, end), {}).to(DType::kF32);
    for (int64_t row = begin; row < end; ++row) {
      const float* const scores = logits.data<float>() + (row - begin) * logits.cols();
      const auto best = std::max_element(scores, scores + logits.cols()) - scores;
      out += best == labels[static_cast<size_t>(row)] ? 1 : 0;
    }
  }
  return out;
}

}  // namespace

ops::Loss masked_loss(const models::MaskedLm& model, const MaskedBatch& batch,
                      const MaskedLossParams& params, const nn::Context& context) {
  const Tensor states = model.states(batch.tokens, batch.rows, context);  // [M, D]
  ops::CrossEntropy loss{.smoothing = params.smoothing, .weight = params.weight};
  if (!are_ones(batch.weights)) {
    loss.row_weights = std::make_shared<const std::vector<float>>(batch.weights);
  }
  return ops::projection_loss(states, model.projection(), ops::make_ids(batch.labels), loss,
                              context.tape);
}

MaskedScores masked_scores(const models::MaskedLm& model, const data::LineSequences& lines,
                           const Masking& masking, bool counts_correct) {
  MaskedScores out;
  const data::BatchPlan plan = data::evaluation_plan(lines, kValidatedLimits);
  for (int64_t i = 0; i < plan.size(); ++i) {
    const data::Batch batch = lines.batch(plan[i]);
    const std::vector<uint32_t> numbers(batch.examples.begin(), batch.examples.end());
    const MaskedBatch masked = masking(batch, {.key = kValidationKey, .numbers = numbers});
    const Tensor states = model.states(masked.tokens, masked.rows, {});
    const ops::TokenLosses losses =
        ops::projection_losses(states, model.projection(), ops::make_ids(masked.labels));
    out.nll = std::accumulate(losses.nll.begin(), losses.nll.end(), out.nll);
    out.tokens += std::ssize(masked.labels);
    if (counts_correct) out.correct += correct_rows(model, states, masked.labels);
  }
  if (!std::isfinite(out.nll)) {
    fail<NumericError>("--valid-sets", "the loss is not a finite number");
  }
  return out;
}

}  // namespace weft::tasks
