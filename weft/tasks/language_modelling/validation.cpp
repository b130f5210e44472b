#include "weft/tasks/language_modelling/validation.h"

#include <cmath>
#include <numeric>

#include "weft/core/error.h"
#include "weft/data/batcher.h"
#include "weft/ops/fused/projection_loss.h"

namespace weft::tasks {
namespace {

constexpr data::BatchLimits kScoredLimits = {.rows = 4096};

}  // namespace

TextLoss text_loss(const models::LanguageModel& model, const data::TokenSequences& sequences) {
  TextLoss out{.labels = sequences.total_labels()};
  const data::BatchPlan plan = data::evaluation_plan(sequences, kScoredLimits);
  for (int64_t i = 0; i < plan.size(); ++i) {
    const auto labelled = model.labelled_states(sequences.batch(plan[i]), {});
    const ops::TokenLosses losses =
        ops::projection_losses(labelled.states, model.decoder.projection(), labelled.labels);
    out.nll = std::accumulate(losses.nll.begin(), losses.nll.end(), out.nll);
  }
  if (!std::isfinite(out.nll))
    fail<NumericError>("--valid-sets", "the loss is not a finite number");
  return out;
}

}  // namespace weft::tasks
