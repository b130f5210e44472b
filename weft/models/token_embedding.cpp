#include "weft/models/token_embedding.h"

#include <cmath>

#include "weft/nn/table.h"
#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/rows/select_rows.h"

namespace weft::models {
namespace {

ops::LayoutPtr with_offset(const ops::LayoutPtr& rows, int64_t offset) {
  if (offset == 0) return rows;
  auto out = std::make_shared<ops::Layout>(*rows);
  for (int32_t& position : out->position) position += static_cast<int32_t>(offset);
  return out;
}

ops::Ids zeros(size_t count) { return ops::make_ids(std::vector<int32_t>(count)); }

}  // namespace

TokenEmbedding::TokenEmbedding(const TokenEmbeddingOptions& o, nn::RngStreams& dropouts)
    : position(o.position),
      dropout{o.dropout, dropouts.take()},
      scale(o.scale.value_or(std::sqrt(static_cast<double>(o.features)))),
      position_offset(o.position_offset) {
  if (o.vocab > 0) {
    table = nn::embedding_table(o.vocab, o.features);
    table.vocabulary = o.vocabulary;
  }
  if (o.token_types > 0) token_types = nn::embedding_table(o.token_types, o.features);
  if (o.norm) norm = nn::make_norm(*o.norm, o.features);
  if (o.has_mask) mask = nn::embedding_table(1, o.features);
}

Tensor TokenEmbedding::embed(const nn::Parameter& tied, const TokenRows& in,
                             const nn::Context& context) const {
  autograd::Tape* const tape = context.tape;
  const ops::LayoutPtr rows = with_offset(in.rows, position_offset);
  const bool is_plain = !token_types.is_present() && !norm.is_present();
  Tensor x = position.embed({.table = tied,
                             .scale = scale,
                             .ids = in.ids,
                             .rows = rows,
                             .dropout = is_plain ? dropout : nn::Dropout()},
                            context);  // [N, D]
  if (token_types.is_present()) {
    const ops::Ids types = in.types != nullptr ? in.types : zeros(in.ids->size());
    x = ops::add(x, nn::look_up(token_types, types, 1, tape), tape);
  }
  if (norm.is_present()) x = norm(x, context);
  if (!is_plain) x = ops::dropout(x, context.dropout(dropout, in.rows), tape);
  if (in.masked.empty()) return x;
  std::vector<int32_t> from(in.ids->size(), -1);  // the mask of each row, if any
  for (size_t i = 0; i < in.masked.size(); ++i) from[in.masked[i]] = static_cast<int32_t>(i);
  const Tensor masks = nn::look_up(mask, zeros(in.masked.size()), scale, tape);  // [n, D]
  const auto selection = ops::make_selection(std::move(from), masks.rows());
  return ops::add(x, ops::select_rows(masks, selection, tape), tape);
}

}  // namespace weft::models
