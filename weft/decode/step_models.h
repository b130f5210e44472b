// Encoder-decoder models, one or several together, and language models, as the model of an engine.
#ifndef WEFT_DECODE_STEP_MODELS_H_
#define WEFT_DECODE_STEP_MODELS_H_

#include <memory>
#include <ranges>
#include <span>
#include <vector>

#include "weft/decode/decoder_steps.h"
#include "weft/models/language_model.h"
#include "weft/models/seq2seq/seq2seq.h"

namespace weft::decode {

// A left-to-right model, which has to outlive it.
DecoderSteps decoder_steps(const models::Seq2Seq& model);
DecoderSteps decoder_steps(const models::LanguageModel& model,
                           std::optional<DType> cache_type = {});

// The models of one search: one, or several of equal vocabularies, begin and end symbols.
class Models {
 public:
  Models(const models::Seq2Seq& model) : all_{&model} {}  // NOLINT: one model where some may be
  // Of pointers.
  template <std::ranges::input_range Pointers>
  Models(const Pointers& all) : all_(all.begin(), all.end()) {}  // NOLINT

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  size_t size() const { return all_.size(); }
  const models::Seq2Seq& front() const { return *all_.front(); }

 private:
  std::vector<const models::Seq2Seq*> all_;
};

// One model without weights as it is, several as an Ensemble with a weight each, 1 unless given.
// The models have to outlive it. Throws OptionError where the numbers of weights and models differ,
// unless there are no weights, and for a model that is not left-to-right.
std::unique_ptr<StepModel> step_model(const Models& models, std::span<const double> weights = {});

// Throws OptionError where the numbers of weights and models differ, unless there are no weights,
// and where one of several models is not left-to-right.
void check_ensemble(const Models& models, std::span<const double> weights);

}  // namespace weft::decode

#endif  // WEFT_DECODE_STEP_MODELS_H_
