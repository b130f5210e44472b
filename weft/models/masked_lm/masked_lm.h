// Masked language models: an encoder of text that predicts tokens which a mask symbol stands for
// from those on both sides (BERT; Devlin et al. 2019, arXiv 1810.04805).
#ifndef WEFT_MODELS_MASKED_LM_MASKED_LM_H_
#define WEFT_MODELS_MASKED_LM_MASKED_LM_H_

#include <cstdint>
#include <vector>

#include "weft/models/encoders/text_encoder.h"
#include "weft/models/masked_lm/options.h"
#include "weft/ops/fused/linear.h"

namespace weft::models {

struct MaskedLm {
  MaskedLmOptions options;
  MaskedLmDims dims;
  TextEncoder encoder;
  nn::HeadLayer head;
  nn::Parameter output_bias;  // [1, V]

  MaskedLm() = default;
  // Shapes only; nn::bind() gives them memory. Throws OptionError where options contradict each
  // other.
  MaskedLm(const MaskedLmOptions& options, const MaskedLmDims& dims);

  // States [M, D] of the head for these rows of texts with their special symbols, each at most
  // once.
  Tensor states(const data::Tokens& texts, std::vector<int32_t> rows,
                const nn::Context& context) const;
  // The same of texts by their embeddings with positions, [N, D].
  Tensor states(const Tensor& embeddings, const ops::LayoutPtr& texts, std::vector<int32_t> rows,
                const nn::Context& context) const;
  // Scores of tokens, [M, V], of the head's states.
  Tensor logits(const Tensor& states, const nn::Context& context) const;
  // The output layer, by the table of embeddings.
  ops::OutputLayer projection() const { return {{encoder.embedding.table, output_bias}}; }

  template <class V>
  void fields(V& v) {
    encoder.fields(v);
    v("head", head);
    v("final_logits_bias", output_bias);
  }
};

}  // namespace weft::models

#endif  // WEFT_MODELS_MASKED_LM_MASKED_LM_H_
