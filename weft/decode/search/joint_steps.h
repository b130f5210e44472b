// A recogniser with a decoder and a CTC output layer as the model of an engine (joint decoding,
// Watanabe et al. 2017).
#ifndef WEFT_DECODE_SEARCH_JOINT_STEPS_H_
#define WEFT_DECODE_SEARCH_JOINT_STEPS_H_

#include <vector>

#include "weft/decode/search/ctc_prefix.h"
#include "weft/decode/seq2seq_steps.h"
#include "weft/models/transcriber.h"

namespace weft::decode {

// Scores are (1 - w) log p of the decoder + w log p of CTC's prefixes.
class JointSteps : public StepModel {
 public:
  // A model of --decoder joint, which has to outlive this; 0 < ctc_weight < 1.
  JointSteps(const models::Transcriber& model, double ctc_weight);

  const ModelTraits& traits() const override { return traits_; }
  void reserve(int64_t slots) override;
  void prefill(std::span<const Prefill> requests) override;
  Tensor step(const Step& step) override;
  void release(std::span<const int32_t> slots) override;

 private:
  using Prefixes = std::vector<CtcPrefixScorer::Prefix>;

  // The prefixes of the rows of this step in a slot.
  void extend_prefixes(size_t slot, int64_t first_row, const Step& step);

  const models::Transcriber* model_;
  double ctc_weight_;
  Seq2SeqSteps decoder_;
  ModelTraits traits_;
  std::vector<CtcPrefixScorer> scorers_;  // [slots]
  std::vector<Prefixes> prefixes_;        // [slots] of the rows of each one's last step
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_JOINT_STEPS_H_
