// Encoder-decoder models, one or several together, as the model of an engine.
#ifndef WEFT_DECODE_SEQ2SEQ_STEPS_H_
#define WEFT_DECODE_SEQ2SEQ_STEPS_H_

#include <memory>
#include <span>
#include <vector>

#include "weft/decode/step_model.h"
#include "weft/models/seq2seq/seq2seq.h"

namespace weft::decode {

// Runs the encoder once for each request, when it begins, and the decoder over prompts and step by
// step with a cache of keys and values. Of a request with allowed tokens only those are scored.
class Seq2SeqSteps : public StepModel {
 public:
  // A left-to-right model, which has to outlive this.
  explicit Seq2SeqSteps(const models::Seq2Seq& model);

  const ModelTraits& traits() const override { return traits_; }
  void reset() override;
  void begin(std::span<const NewRequest> requests) override;
  Tensor prefill(const PromptRows& prompts) override;
  Tensor step(const Step& step) override;
  int64_t share_prompt(int32_t from, int32_t to, int64_t count) override;
  void release(std::span<const int32_t> slots) override;

 private:
  bool has_memory(std::span<const NewRequest> requests) const;
  Tensor scores(const Tensor& states, std::span<const SlotRows> slots) const;

  const models::Seq2Seq* model_;
  ModelTraits traits_;
  nn::KvCache cache_;
  std::vector<nn::Linear> projections_;  // [slots] to the allowed tokens, where there are some
};

// The models of one search: one, or several of equal vocabularies, begin and end symbols.
using Models = std::span<const models::Seq2Seq* const>;

// One model without weights as it is, several as an Ensemble with a weight each, 1 unless given.
// The models have to outlive it. Throws OptionError where there are weights, but not as many as
// models, and for a model that is not left-to-right.
std::unique_ptr<StepModel> step_model(Models models, std::span<const double> weights = {});
std::unique_ptr<StepModel> step_model(const models::Seq2Seq& model);

// Throws OptionError where there are weights, but not as many as models, and where one of several
// models is not left-to-right.
void check_together(Models models, std::span<const double> weights);

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEQ2SEQ_STEPS_H_
