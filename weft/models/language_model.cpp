#include "weft/models/language_model.h"

#include <variant>

#include "weft/ops/fused/projection_loss.h"
#include "weft/ops/rows/select_rows.h"

namespace weft::models {

LanguageModel::LanguageModel(const LanguageModelOptions& o, const LanguageModelDims& d)
    : options(o), dims(d) {
  o.check();
  d.check();
  nn::RngStreams dropouts;
  TokenEmbedding embedding({.vocab = d.vocab,
                            .features = o.layers.dim_emb,
                            .scale = o.embedding_scale,
                            .position = make_position(o.layers, true),
                            .dropout = o.layers.transformer.dropout},
                           dropouts);
  nn::Stack stack = decoder_stack(o.layers, {.depth = o.decoder.dec_depth}, dropouts);
  decoder = TokenDecoder(std::move(embedding), {std::move(stack)}, o.decoder);
}

Tensor LanguageModel::states(const data::Tokens& texts, const nn::Context& context) const {
  return decoder.forward({ops::make_ids(texts.ids), ops::make_layout(texts.segments)}, {}, context);
}

LanguageModel::LabelledStates LanguageModel::labelled_states(const data::Batch& batch,
                                                             const nn::Context& context) const {
  const Tensor all = states(batch.tokens(0), context);
  const auto& ids = std::get<data::Labels>(batch.fields[1]).ids;
  std::vector<int32_t> rows, labels;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0) continue;
    rows.push_back(static_cast<int32_t>(i));
    labels.push_back(ids[i]);
  }
  if (rows.size() == ids.size()) return {all, ops::make_ids(ids)};
  return {ops::select_rows(all, ops::make_selection(std::move(rows), all.rows()), context.tape),
          ops::make_ids(std::move(labels))};
}

ops::Loss LanguageModel::loss(const data::Batch& batch, const ops::CrossEntropy& params,
                              const nn::Context& context) const {
  const LabelledStates labelled = labelled_states(batch, context);
  return ops::projection_loss(labelled.states, decoder.projection(), labelled.labels, params,
                              context.tape);
}

}  // namespace weft::models
