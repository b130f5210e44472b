// A transcriber with a decoder and a CTC output layer as the model of an engine (joint decoding,
// Watanabe et al. 2017).
#ifndef WEFT_DECODE_SEARCH_JOINT_STEPS_H_
#define WEFT_DECODE_SEARCH_JOINT_STEPS_H_

#include <optional>
#include <vector>

#include "weft/decode/decoder_steps.h"
#include "weft/decode/search/ctc_prefix.h"
#include "weft/models/transcriber.h"

namespace weft::decode {

// The decoder of a transcriber alone. Requests have the states of their sounds.
DecoderSteps decoder_steps(const models::Transcriber& model);

// Scores are (1 - w) log p of the decoder + w log p of CTC's prefixes.
class JointSteps : public StepModel {
 public:
  // A model of --decoder joint, which has to outlive this; 0 < ctc_weight < 1.
  JointSteps(const models::Transcriber& model, double ctc_weight);

  const ModelTraits& traits() const override { return traits_; }
  void reset() override;
  void begin(std::span<const NewRequest> requests) override;
  Tensor prefill(const PromptRows& prompts) override;
  Tensor step(const Step& step) override;
  void release(std::span<const int32_t> slots) override;

 private:
  using Prefix = CtcPrefixScorer::Prefix;
  struct Slot {
    CtcPrefixScorer scorer = {};
    std::optional<Prefix> prompt = {};  // after the rows of the prompt, if any
    std::vector<Prefix> prefixes = {};  // of the rows of its last step
  };

  // The prefix after an input token. The first input token is the begin symbol.
  static Prefix extend(const Slot& slot, const std::optional<Prefix>& before, int32_t token);
  // Adds the scores of CTC to a row of the decoder's.
  void add_ctc(const Slot& slot, const Prefix& prefix, const Tensor& row) const;

  const models::Transcriber* model_;
  double ctc_weight_;
  DecoderSteps decoder_;
  ModelTraits traits_;
  std::vector<Slot> slots_;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_JOINT_STEPS_H_
