#include "weft/models/character_encoder.h"

#include <cmath>

#include "weft/core/error.h"
#include "weft/ops/activation.h"
#include "weft/ops/max_rows.h"
#include "weft/ops/mean_rows.h"
#include "weft/ops/slice.h"
#include "weft/ops/windows.h"

namespace weft::models {

int64_t CharacterCnn::width() const {
  int64_t sum = 0;
  for (const nn::Linear& convolution : convolutions) sum += convolution.weight.shape.rows();
  return sum;
}

Tensor CharacterCnn::operator()(const Tensor& x, const ops::RowsPtr& words,
                                nn::Context& context) const {
  autograd::Tape* const tape = context.tape;
  Tensor out;
  for (size_t i = 0; i < widths.size(); ++i) {
    const Tensor y =
        convolutions[i](ops::windows(x, words, widths[i], tape), tape);  // [M, filters]
    const Tensor largest = ops::max_rows(y, words, tape);                // [W, filters]
    out = out ? ops::concat_cols(out, largest, tape) : largest;
  }
  return ops::activate(ops::Activation::kRelu, out, tape);
}

Tensor CharacterTransformer::operator()(const Tensor& x, const ops::RowsPtr& words,
                                        nn::Context& context) const {
  return ops::mean_rows(stack(x, words, {}, context).states, words, context.tape);
}

void CharacterCnnOptions::check(const CharacterSizes&) const {
  if (widths.empty()) fail<OptionError>("--char-widths", "expected at least one");
  for (const int64_t width : widths) {
    if (width % 2 != 0) continue;
    fail<OptionError>("--char-widths", "expected odd numbers of characters, got {}", width);
  }
}

CharacterCnn CharacterCnnOptions::make(const CharacterSizes& sizes) const {
  CharacterCnn out{{}, widths};
  for (const int64_t width : widths) {
    out.convolutions.emplace_back(width * sizes.features, filters, true);
  }
  return out;
}

void CharacterTransformerOptions::check(const CharacterSizes& sizes) const {
  if (sizes.features % heads == 0 && sizes.features / heads > 1) return;
  fail<OptionError>("--char-heads",
                    "expected a divisor of --dim-char {}, at most half of it, got {}",
                    sizes.features, heads);
}

CharacterTransformer CharacterTransformerOptions::make(const CharacterSizes& sizes) const {
  nn::TransformerOptions transformer;
  transformer.attention.heads = heads;
  transformer.feed_forward.inner = inner;
  transformer.norm.place = nn::PreNorm{};
  transformer.dropout = sizes.dropout;
  static const nn::PositionOptions positions;
  static const nn::PriorKinds no_prior;  // there is no cross-attention
  const LayerParts parts{transformer, positions, sizes.features};
  return {nn::Encoder(stack_options(transformer, depth),
                      layer_options(parts, {transformer.attention.kind, no_prior},
                                    encoder_deepnorm(depth))),
          sizes.features};
}

void CharacterOptions::check() const {
  kind.visit([&](const auto& k) {
    if constexpr (requires(const CharacterSizes& sizes) { k.check(sizes); }) {
      k.check({features, dropout});
    }
  });
}

CharacterEncoder::CharacterEncoder(const CharacterOptions& o, int64_t characters, int64_t words)
    : options(o) {
  o.check();
  if (!o.is_on()) return;
  const CharacterSizes sizes{o.features, o.dropout};
  table = nn::Parameter({characters, o.features}, nn::Init::kNormal);
  o.kind.visit([&](const auto& k) {
    kind = k.make(sizes);
    if constexpr (requires { k.position(); }) {
      position = nn::make_position(k.position(), {.features = o.features});
    }
  });
  const int64_t width = std::visit([](const auto& k) { return k.width(); }, kind);
  out_proj = nn::Linear(width, words, true);
}

Tensor CharacterEncoder::operator()(const CharacterInput& in, nn::Context& context) const {
  if (in.characters->sentences() != in.words->count()) {
    fail<ShapeError>("characters", "of {} words; expected {}", in.characters->sentences(),
                     in.words->count());
  }
  const Tensor x = position.embed({.table = table,
                                   .scale = std::sqrt(static_cast<double>(options.features)),
                                   .ids = in.ids,
                                   .rows = in.characters,
                                   .dropout = options.dropout},
                                  context);  // [M, Dc]
  const Tensor y =
      std::visit([&](const auto& k) { return k(x, in.characters, context); }, kind);  // [W, width]
  return nn::linear(y, {&out_proj.weight}, {&out_proj.bias},
                    {ops::Activation::kNone, context.dropout(options.dropout, in.words)},
                    context.tape);  // [W, D]
}

ops::RowsPtr rows_of_words(const data::Tokens& characters, int32_t end_id, int32_t first_example) {
  constexpr uint32_t kWords = 1u << 16;  // of an example, before numbers of words are met again
  auto rows = std::make_shared<ops::Rows>();
  rows->offsets = {0};
  for (int64_t b = 0; b < characters.examples(); ++b) {
    const uint32_t example = static_cast<uint32_t>(first_example) + static_cast<uint32_t>(b);
    uint32_t word = 0;
    int32_t position = 0;
    for (const int32_t id : characters[b]) {
      rows->sentence.push_back(static_cast<int32_t>(example * kWords + word));
      rows->position.push_back(position++);
      if (id != end_id) continue;
      rows->offsets.push_back(static_cast<int32_t>(rows->sentence.size()));
      ++word;
      position = 0;
    }
    if (position > 0) fail<ShapeError>("characters", "the last word of an example has no end");
  }
  return rows;
}

}  // namespace weft::models
