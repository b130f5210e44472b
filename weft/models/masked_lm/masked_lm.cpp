#include "weft/models/masked_lm/masked_lm.h"

#include <utility>

#include "weft/core/error.h"
#include "weft/ops/rows/select_rows.h"

namespace weft::models {

void MaskedLmDims::check() const {
  TextEncoderDims::check();
  if (mask_id < vocab) return;
  fail<OptionError>("model",
                    "the id {} of the mask symbol; expected one below the vocabulary size {}",
                    mask_id, vocab);
}

MaskedLm::MaskedLm(const MaskedLmOptions& o, const MaskedLmDims& d) : options(o), dims(d) {
  o.check();
  d.check();
  nn::RngStreams dropouts;
  encoder = TextEncoder(o.encoder, d, dropouts);
  const int64_t features = o.encoder.dim_emb;
  head.dense = nn::Linear(encoder.width(), features, o.head.bias);
  head.norm = nn::make_norm(o.encoder.transformer.norm, features);
  head.activation = o.head.function();
  if (!o.head.output_bias) return;
  output_bias = nn::Parameter({1, d.vocab}, nn::Init::kZeros);
  output_bias.vocabulary = encoder.embedding.table.vocabulary;
}

namespace {

// Of the states [N, C] of a text encoder.
Tensor head_of(const MaskedLm& model, const Tensor& states, std::vector<int32_t> rows,
               const nn::Context& context) {
  const auto selection = ops::make_selection(std::move(rows), states.rows());
  return model.head(ops::select_rows(states, selection, context.tape), context);  // [M, D]
}

}  // namespace

Tensor MaskedLm::states(const data::Tokens& texts, std::vector<int32_t> rows,
                        const nn::Context& context) const {
  return head_of(*this, encoder(texts, context).states, std::move(rows), context);
}

Tensor MaskedLm::states(const Tensor& embeddings, const ops::LayoutPtr& texts,
                        std::vector<int32_t> rows, const nn::Context& context) const {
  const nn::Memory all = encoder.encode(embeddings, texts, context);
  return head_of(*this, all.states, std::move(rows), context);
}

Tensor MaskedLm::logits(const Tensor& states, const nn::Context& context) const {
  return nn::linear(states, {&encoder.embedding.table}, {&output_bias}, ops::Activation::kNone,
                    context.tape);
}

}  // namespace weft::models
