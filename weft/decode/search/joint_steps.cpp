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
  prefixes_.clear();
}

void JointSteps::prefill(std::span<const Prefill> requests) {
  decoder_.prefill(requests);
  for (const auto& [slot, request] : requests) {
    scorers_[slot] =
        CtcPrefixScorer(model_->ctc_log_probabilities(request->memory), traits_.end_id);
  }
}

void JointSteps::extend_prefixes(const Step& step) {
  std::vector<CtcPrefixScorer::Prefix> extended;
  for (size_t slot = 0, row = 0; slot < step.counts.size(); ++slot) {
    for (int32_t i = 0; i < step.counts[slot]; ++i, ++row) {
      const int32_t parent = step.parents[row];
      const CtcPrefixScorer& scorer = scorers_[slot];
      extended.push_back(parent < 0 ? scorer.start()
                                    : scorer.extend(prefixes_[parent], step.ids[row]));
    }
  }
  prefixes_ = std::move(extended);
}

Tensor JointSteps::step(const Step& step) {
  Tensor scores = decoder_.step(step);  // [W, V]
  backend_of(scores)(kernels::LogSoftmax{.x = scores, .y = scores});
  extend_prefixes(step);
  for (size_t slot = 0, row = 0; slot < step.counts.size(); ++slot) {
    for (int32_t i = 0; i < step.counts[slot]; ++i, ++row) {
      const std::vector<double> ctc = scorers_[slot].scores(prefixes_[row]);
      const auto n = static_cast<int64_t>(row);
      float* values = scores.row_range(n, n + 1).data<float>();
      for (size_t c = 0; c < ctc.size(); ++c) {
        values[c] = static_cast<float>((1 - ctc_weight_) * values[c] + ctc_weight_ * ctc[c]);
      }
    }
  }
  return scores;
}

void JointSteps::release(std::span<const int32_t> slots) {
  decoder_.release(slots);
  for (const int32_t slot : slots) scorers_[slot] = {};
}

}  // namespace weft::decode
