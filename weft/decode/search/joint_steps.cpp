#include "weft/decode/search/joint_steps.h"

#include "weft/decode/request.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/softmax.h"

namespace weft::decode {

DecoderSteps decoder_steps(const models::Transcriber& model) {
  const models::TranscriberOptions& o = model.options;
  const ModelTraits traits{.target_vocabulary = model.dims.vocab,
                           .source_capacity = o.encoder.table_capacity(),
                           .target_capacity = o.decoder_layers().table_capacity(),
                           .begin_id = static_cast<int32_t>(model.dims.begin_id),
                           .end_id = static_cast<int32_t>(model.dims.end_id),
                           .has_attention = true};
  return {model.decoder, traits};
}

JointSteps::JointSteps(const models::Transcriber& model, double ctc_weight)
    : model_(&model),
      ctc_weight_(ctc_weight),
      decoder_(decoder_steps(model)),
      traits_(decoder_.traits()) {
  traits_.is_normalised = true;
}

void JointSteps::reset() {
  decoder_.reset();
  slots_.clear();
}

void JointSteps::begin(std::span<const NewRequest> requests) {
  decoder_.begin(requests);
  for (const auto& [slot, request] : requests) {
    if (slot >= std::ssize(slots_)) slots_.resize(static_cast<size_t>(slot) + 1);
    slots_[slot] = {
        .scorer = CtcPrefixScorer(model_->ctc_log_probabilities(request->memory), traits_.end_id)};
  }
}

JointSteps::Prefix JointSteps::extend(const Slot& slot, const std::optional<Prefix>& before,
                                      int32_t token) {
  return before ? slot.scorer.extend(*before, token) : slot.scorer.start();
}

void JointSteps::add_ctc(const Slot& slot, const Prefix& prefix, const Tensor& row) const {
  const std::vector<double> ctc = slot.scorer.scores(prefix);
  float* values = row.data<float>();
  for (size_t c = 0; c < ctc.size(); ++c) {
    values[c] = static_cast<float>((1 - ctc_weight_) * values[c] + ctc_weight_ * ctc[c]);
  }
}

Tensor JointSteps::prefill(const PromptRows& prompts) {
  Tensor scores = decoder_.prefill(prompts);  // [n, V]
  if (scores) backend_of(scores)(kernels::LogSoftmax{.x = scores, .y = scores});
  int64_t scored = 0;
  for (size_t i = 0; i < prompts.slots.size(); ++i) {
    Slot& slot = slots_[prompts.slots[i]];
    const auto segment = static_cast<int64_t>(i);
    for (int32_t n = prompts.segments.begin(segment); n < prompts.segments.end(segment); ++n) {
      slot.prompt = extend(slot, slot.prompt, prompts.ids[n]);
      if (scored == std::ssize(prompts.scored) || prompts.scored[scored] != n) continue;
      add_ctc(slot, *slot.prompt, scores.row_range(scored, scored + 1));
      ++scored;
    }
  }
  return scores;
}

Tensor JointSteps::step(const Step& step) {
  Tensor scores = decoder_.step(step);  // [W, V]
  backend_of(scores)(kernels::LogSoftmax{.x = scores, .y = scores});
  int64_t row = 0;
  for (const auto& [number, rows] : rows_by_slot(step)) {
    Slot& slot = slots_[number];
    std::vector<Prefix> next;
    for (const int64_t end = row + rows; row < end; ++row) {
      const int32_t parent = step.parents[row];
      next.push_back(parent < 0 ? extend(slot, slot.prompt, step.ids[row])
                                : slot.scorer.extend(slot.prefixes[parent], step.ids[row]));
      add_ctc(slot, next.back(), scores.row_range(row, row + 1));
    }
    slot.prefixes = std::move(next);
  }
  return scores;
}

void JointSteps::release(std::span<const int32_t> slots) {
  decoder_.release(slots);
  for (const int32_t slot : slots) {
    if (slot < std::ssize(slots_)) slots_[slot] = {};
  }
}

}  // namespace weft::decode
