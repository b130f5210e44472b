// Decoder-only language models: a causal decoder of tokens without cross-attention.
#ifndef WEFT_MODELS_LANGUAGE_MODEL_H_
#define WEFT_MODELS_LANGUAGE_MODEL_H_

#include <vector>

#include "weft/data/batch.h"
#include "weft/models/language_model_options.h"
#include "weft/models/token_decoder.h"

namespace weft::models {

struct LanguageModel {
  LanguageModelOptions options;
  LanguageModelDims dims;
  TokenDecoder decoder;

  LanguageModel() = default;
  // Shapes only; bind() gives them memory. Throws OptionError where options contradict each other.
  LanguageModel(const LanguageModelOptions& options, const LanguageModelDims& dims);

  // Hidden states [N, D] of the tokens of texts, with causal attention: row i predicts token i + 1.
  Tensor states(const data::Tokens& texts, const nn::Context& context) const;
  // Logits of the next token, [N, V].
  Tensor logits(const data::Tokens& texts, const nn::Context& context) const {
    return decoder.logits(states(texts, context), context);
  }

  template <class V>
  void fields(V& v) {
    decoder.fields(v);
  }
};

}  // namespace weft::models

#endif  // WEFT_MODELS_LANGUAGE_MODEL_H_
