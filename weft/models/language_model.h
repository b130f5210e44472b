// Decoder-only language models: a causal decoder of tokens without cross-attention.
#ifndef WEFT_MODELS_LANGUAGE_MODEL_H_
#define WEFT_MODELS_LANGUAGE_MODEL_H_

#include <vector>

#include "weft/data/batch.h"
#include "weft/models/language_model_options.h"
#include "weft/models/token_decoder.h"
#include "weft/ops/losses/cross_entropy.h"

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
  // The states [M, D] of the rows that have a label, and these labels, in a batch of
  // data::TokenSequences.
  struct LabelledStates {
    Tensor states;
    ops::Ids labels;
  };
  LabelledStates labelled_states(const data::Batch& batch, const nn::Context& context) const;
  // The loss of the labels of such a batch.
  ops::Loss loss(const data::Batch& batch, const ops::CrossEntropy& params,
                 const nn::Context& context) const;
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
