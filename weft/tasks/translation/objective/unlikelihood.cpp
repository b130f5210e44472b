#include "weft/tasks/translation/objective/unlikelihood.h"

#include <algorithm>

#include "weft/ops/fused/unlikelihood_loss.h"

namespace weft::tasks {
namespace {

class Unlikelihood final : public PassLoss {
 public:
  explicit Unlikelihood(double alpha) : alpha_(alpha) {}

  ops::Loss operator()(const Pass& p, const nn::Context& context) const override {
    const ops::Ids targets = p.targets();
    const ops::LabelsPtr candidates = previous_targets(p.part.batch.target());
    return ops::unlikelihood_loss(p.states, p.model.decoder.projection(), {targets, candidates},
                                  {.truth = p.truth, .alpha = alpha_}, context.tape);
  }

 private:
  double alpha_;
};

}  // namespace

ops::LabelsPtr previous_targets(const data::Tokens& target) {
  data::Labels out;
  std::vector<int32_t> seen, others;  // distinct tokens of the sentence so far
  for (int64_t b = 0; b < target.examples(); ++b) {
    seen.clear();
    for (const int32_t token : target[b]) {
      others.clear();
      std::ranges::remove_copy(seen, std::back_inserter(others), token);
      out.add(others);
      if (others.size() == seen.size()) seen.push_back(token);
    }
  }
  return std::make_shared<const data::Labels>(std::move(out));
}

std::unique_ptr<const PassLoss> UnlikelihoodOptions::make(
    const model_file::TranslatorSession&) const {
  return std::make_unique<const Unlikelihood>(alpha);
}

}  // namespace weft::tasks
