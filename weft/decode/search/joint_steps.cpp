#include "weft/decode/search/joint_steps.h"

#include "weft/decode/request.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/softmax.h"

namespace weft::decode {

JointSteps::JointSteps(const models::Transcriber& model, double ctc_weight)
    : model_(&model), ctc_weight_(ctc_weight), decoder_(model.seq2seq), traits_(decoder_.traits()) {
  traits_.is_normalised = true;
}

void JointSteps::reserve(int64_t slots) {
  decoder_.reserve(slots);
  scorers_.assign(static_cast<size_t>(slots), {});
  prefixes_.assign(scorers_.size(), {});
}

void JointSteps::prefill(std::span<const Prefill> requests) {
  decoder_.prefill(requests);
  for (const auto& [slot, request] : requests) {
    scorers_[slot] =
        CtcPrefixScorer(model_->ctc_log_probabilities(request->memory), traits_.end_id);
  }
}

void JointSteps::extend_prefixes(size_t slot, int64_t first_row, const Step& step) {
  Prefixes extended;
  for (int64_t row = first_row; row < first_row + step.counts[slot]; ++row) {
    const int32_t parent = step.parents[row];
    const CtcPrefixScorer& scorer = scorers_[slot];
    extended.push_back(parent < 0 ? scorer.start()
                                  : scorer.extend(prefixes_[slot][parent], step.ids[row]));
  }
  prefixes_[slot] = std::move(extended);
}

Tensor JointSteps::step(const Step& step) {
  Tensor scores = decoder_.step(step);  // [W, V]
  backend_of(scores)(kernels::LogSoftmax{.x = scores, .y = scores});
  int64_t row = 0;
  for (size_t slot = 0; slot < step.counts.size(); ++slot) {
    if (step.counts[slot] == 0) continue;
    extend_prefixes(slot, row, step);
    for (const CtcPrefixScorer::Prefix& prefix : prefixes_[slot]) {
      const std::vector<double> ctc = scorers_[slot].scores(prefix);
      float* values = scores.row_range(row, row + 1).data<float>();
      for (size_t c = 0; c < ctc.size(); ++c) {
        values[c] = static_cast<float>((1 - ctc_weight_) * values[c] + ctc_weight_ * ctc[c]);
      }
      ++row;
    }
  }
  return scores;
}

void JointSteps::release(std::span<const int32_t> slots) {
  decoder_.release(slots);
  for (const int32_t slot : slots) scorers_[slot] = {};
}

}  // namespace weft::decode
