#include "weft/models/encoders/text_encoder.h"

#include "weft/core/random.h"

namespace weft::models {

TextEncoder::TextEncoder(const TextEncoderOptions& o, const TextEncoderDims& s,
                         nn::RngStreams& dropouts, const EncoderUse& use)
    : options(o), dims(s) {
  o.check();
  s.check();
  TokenEmbeddingOptions tokens{.vocab = s.vocab,
                               .features = o.dim_emb,
                               .scale = o.embedding.scale,
                               .position = make_position(o),
                               .position_offset = o.embedding.position_offset,
                               .token_types = o.embedding.token_types,
                               .dropout = o.input_dropout()};
  if (o.embedding.norm) tokens.norm = o.transformer.norm;
  embedding = TokenEmbedding(tokens, dropouts);
  encoder = make_encoder(o, dropouts, use);
}

int64_t TextEncoder::width() const { return width_of(encoder, options); }

std::vector<int32_t> drop_words(const data::Tokens& tokens, const ops::LayoutPtr& rows,
                                const TextEncoderDims& dims, double probability,
                                const nn::Context& context) {
  if (!context.training || probability == 0) return tokens.ids;
  const auto unknown = static_cast<int32_t>(dims.unknown_id);
  const double limit = probability * 4294967296.0;
  std::vector<int32_t> ids = tokens.ids;
  for (size_t n = 0; n < ids.size(); ++n) {
    if (ids[n] == dims.begin_id || ids[n] == dims.end_id) continue;
    const auto sequence = static_cast<uint32_t>(rows->sequence[n]);
    const auto place = static_cast<uint32_t>(rows->position[n]);
    const uint32_t drawn =
        philox({nn::kMaskingStream, sequence, place, context.pass}, context.key)[0];
    if (drawn < limit) ids[n] = unknown;
  }
  return ids;
}

ops::Ids TextEncoder::types_of(const data::Tokens& tokens) const {
  const int64_t known = embedding.token_types.is_present() ? embedding.token_types.shape.rows() : 0;
  if (tokens.types.empty() || known < 2) return nullptr;
  return ops::make_ids(tokens.types);
}

nn::Memory TextEncoder::encode(Tensor x, const ops::LayoutPtr& rows,
                               const nn::Context& context) const {
  return encoder(std::move(x), rows, embedding.position.in_attention(rows, context), context);
}

nn::Memory TextEncoder::operator()(const data::Tokens& tokens, const nn::Context& context) const {
  const ops::LayoutPtr rows = ops::make_layout(tokens.segments);
  const ops::Ids ids = ops::make_ids(drop_words(tokens, rows, dims, options.word_dropout, context));
  const TokenRows in{.ids = ids, .rows = rows, .types = types_of(tokens)};
  return encode(embedding(in, context), rows, context);
}

}  // namespace weft::models
