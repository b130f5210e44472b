#include "weft/models/language_model_options.h"

#include <array>
#include <limits>

#include "weft/core/error.h"
#include "weft/options/option_table.h"

namespace weft::models {
namespace {

void check_id(std::string_view name, int64_t id, int64_t vocab) {
  if (id >= 0 && id < vocab) return;
  fail<OptionError>("model", "{} {}; expected one below the vocabulary size {}", name, id, vocab);
}

}  // namespace

LayerOptions language_model_layers() {
  LayerOptions out;
  out.transformer.attention.bias = false;
  out.transformer.feed_forward = {
      .inner = 1024, .activation = nn::SiluFeedForward{}, .gated = true};
  out.transformer.norm = {.placement = nn::PreNorm{}, .kind = nn::RmsNormOptions{}};
  out.position = {.kind = nn::RotaryPositionOptions{}, .max_positions = 1024};
  return out;
}

int64_t LanguageModelOptions::capacity() const {
  const nn::AttentionKinds& kind = layers.transformer.attention.kind;
  bool is_limited = !kind.is_local() || layers.position.place() == nn::PositionPlace::kEmbeddings;
  for (int64_t i = 0; i < decoder.dec_depth; ++i) is_limited |= kind.full_layers().has(i);
  return is_limited ? context() : std::numeric_limits<int32_t>::max();
}

void LanguageModelOptions::check() const {
  options::check_scopes(*this);
  check_positions_of_sequences(layers.position);
  check_positions(layers, true, TransformerType::kName);
  layers.transformer.check();
  check_attention_limits(layers, true);
  check_head_sizes(layers);
  check_pruned_heads(layers, std::array{nn::PrunableStack{"decoder", decoder.dec_depth}});
  nn::layer_order(stack_options(layers.transformer, decoder.dec_depth));
}

void LanguageModelDims::check() const {
  check_id("begin id", begin_id, vocab);
  if (end_ids.empty()) fail<OptionError>("model", "no end id; expected at least one");
  for (const int64_t id : end_ids) check_id("end id", id, vocab);
}

}  // namespace weft::models
