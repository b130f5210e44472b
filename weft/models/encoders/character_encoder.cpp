#include "weft/models/encoders/character_encoder.h"

#include <cmath>

#include "weft/core/error.h"
#include "weft/ops/activation.h"
#include "weft/ops/rows/max_rows.h"
#include "weft/ops/rows/mean_rows.h"
#include "weft/ops/rows/windows.h"
#include "weft/ops/slice.h"

namespace weft::models {

int64_t CharacterCnn::width() const {
  int64_t sum = 0;
  for (const nn::Linear& convolution : convolutions) sum += convolution.weight.shape.rows();
  return sum;
}

Tensor CharacterCnn::operator()(const Tensor& x, const ops::LayoutPtr& words,
                                const nn::Context& context) const {
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

Tensor CharacterTransformer::operator()(const Tensor& x, const ops::LayoutPtr& words,
                                        const nn::Context& context) const {
  return ops::mean_rows(stack.forward(x, {words, {}}, nn::Memory(), context), words, context.tape);
}

void CharacterCnnOptions::check(int64_t) const {
  if (widths.empty()) fail<OptionError>("--char-widths", "expected at least one");
  for (const int64_t width : widths) {
    if (width % 2 != 0) continue;
    fail<OptionError>("--char-widths", "expected odd numbers of characters, got {}", width);
  }
}

CharacterCnn CharacterCnnOptions::make(const CharacterDims& dims) const {
  CharacterCnn out{{}, widths};
  for (const int64_t width : widths) {
    out.convolutions.emplace_back(width * dims.features, filters, true);
  }
  return out;
}

void CharacterTransformerOptions::check(int64_t features) const {
  if (features % heads == 0 && features / heads > 1) return;
  fail<OptionError>("--char-heads",
                    "expected a divisor of --dim-char {}, at most half of it, got {}", features,
                    heads);
}

CharacterTransformer CharacterTransformerOptions::make(const CharacterDims& dims) const {
  LayerOptions layers{.dim_emb = dims.features};
  nn::TransformerOptions& transformer = layers.transformer;
  transformer.attention.heads = heads;
  transformer.feed_forward.inner = inner;
  transformer.norm.placement = nn::PreNorm{};
  transformer.dropout = dims.dropout;
  return {nn::Stack(stack_options(transformer, depth),
                    block_options(layers, {}, encoder_deepnorm(depth, 0)), dims.dropouts),
          dims.features};
}

void CharacterOptions::check() const {
  kind.visit([&](const auto& k) {
    if constexpr (requires { k.check(features); }) {
      k.check(features);
    }
  });
}

CharacterEncoder::CharacterEncoder(const CharacterOptions& o, int64_t characters, int64_t words,
                                   nn::RngStreams& dropouts)
    : options(o) {
  o.check();
  if (!o.is_on()) return;
  input_dropout = {o.dropout, dropouts.take()};
  const CharacterDims dims{o.features, o.dropout, dropouts};
  table = nn::embedding_table(characters, o.features);
  table.vocabulary = nn::Vocabulary::kCharacters;
  o.kind.visit([&](const auto& k) {
    kind = k.make(dims);
    if constexpr (requires { k.position(); }) {
      position = nn::make_position(k.position(), {.features = o.features});
    }
  });
  const int64_t width = std::visit([](const auto& k) { return k.width(); }, kind);
  out_proj = nn::Linear(width, words, true);
  output_dropout = {o.dropout, dropouts.take()};
}

Tensor CharacterEncoder::operator()(const CharacterInput& in, const nn::Context& context) const {
  if (in.characters->sequences() != in.words->count()) {
    fail<ShapeError>("characters", "of {} words; expected {}", in.characters->sequences(),
                     in.words->count());
  }
  const Tensor x = position.embed({.table = table,
                                   .scale = std::sqrt(static_cast<double>(options.features)),
                                   .ids = in.ids,
                                   .rows = in.characters,
                                   .dropout = input_dropout},
                                  context);  // [M, Dc]
  const Tensor y =
      std::visit([&](const auto& k) { return k(x, in.characters, context); }, kind);  // [W, width]
  return nn::linear(y, {&out_proj.weight}, {&out_proj.bias},
                    {ops::Activation::kNone, context.dropout(output_dropout, in.words)},
                    context.tape);  // [W, D]
}

ops::LayoutPtr rows_of_words(const data::Tokens& characters, int32_t end_id) {
  constexpr uint32_t kWords = 1u << 16;  // of an example, before numbers of words are met again
  auto rows = std::make_shared<ops::Layout>();
  for (int64_t b = 0; b < characters.examples(); ++b) {
    const uint32_t example =
        static_cast<uint32_t>(characters.segments.first) + static_cast<uint32_t>(b);
    uint32_t word = 0;
    int32_t position = 0;
    for (const int32_t id : characters[b]) {
      rows->sequence.push_back(static_cast<int32_t>(example * kWords + word));
      rows->position.push_back(position++);
      if (id != end_id) continue;
      rows->segments.append(std::ssize(rows->sequence) - rows->segments.rows());
      ++word;
      position = 0;
    }
    if (position > 0) fail<ShapeError>("characters", "the last word of an example has no end");
  }
  return rows;
}

}  // namespace weft::models
