#include "weft/models/seq2seq_options.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/formats/options_table.h"
#include "weft/nn/transformer/layers.h"

namespace weft::models {
namespace {

void check_positions(const Seq2SeqOptions& o) {
  const auto& kind = o.position.kind;
  if (kind.is<nn::Rotary2dPositionOptions>()) {
    fail<OptionError>("--position",
                      "rotary-2d rotates by a row and a column, and text has neither; expected "
                      "rotary for text");
  }
  if (o.position.place() != nn::PositionPlace::kEmbeddings && !o.is_transformer()) {
    fail<OptionError>("--position",
                      "{} acts in self-attention, which --type {} has none of; expected none, "
                      "index, sinusoidal or learned",
                      kind.name(), o.type.name());
  }
  if (o.position.place() == nn::PositionPlace::kRotation && o.key_size() % 2 != 0) {
    fail<OptionError>("--position",
                      "{} rotates pairs of features; expected an even size of a head's keys, got "
                      "{}",
                      kind.name(), o.key_size());
  }
  o.position.check();
}

// What the kind of attention cannot do in such a model.
void check_limits(const Seq2SeqOptions& o) {
  const nn::AttentionOptions& attention = o.transformer.attention;
  const nn::AttentionLimits limits =
      attention.kind.visit([](const auto& kind) { return kind.kLimits; });
  const auto refuse = [&](const char* option, const char* reason) {
    if (reason != nullptr)
      fail<OptionError>(option, "--attention {} {}", attention.kind.name(), reason);
  };
  const bool in_decoder = attention.stacks.visit([](const auto& in) { return in.kDecoder; });
  if (in_decoder && o.is_left_to_right()) refuse("--attention-in", limits.causal);
  switch (o.position.place()) {
    case nn::PositionPlace::kScores: return refuse("--position", limits.score_bias);
    case nn::PositionPlace::kRotation: return refuse("--position", limits.rotary);
    case nn::PositionPlace::kEmbeddings: break;
  }
}

void check_sizes(const Seq2SeqOptions& o) {
  const nn::AttentionOptions& attention = o.transformer.attention;
  if ((attention.key_size == 0 || attention.value_size == 0) && o.dim_emb % attention.heads != 0) {
    fail<OptionError>("--transformer-heads",
                      "{} heads do not divide --dim-emb {}; expected a divisor, or "
                      "--transformer-dim-key and --transformer-dim-value",
                      attention.heads, o.dim_emb);
  }
  if (attention.groups() * std::min(o.key_size(), o.value_size()) < 2) {
    fail<OptionError>("--transformer-key-heads",
                      "one head of keys and values, of one feature each, is too small; expected 2 "
                      "features over all heads");
  }
}

}  // namespace

const LengthClassifier* Seq2SeqOptions::length_classifier() const {
  if (const auto* mask_predict = generation.get_if<MaskPredict>()) return &mask_predict->length;
  const auto* parallel = generation.get_if<Parallel>();
  return parallel == nullptr ? nullptr : parallel->length_from.get_if<LengthClassifier>();
}

const nn::AttentionKinds& self_attention_of(const Seq2SeqOptions& o, Side side) {
  static const nn::AttentionKinds full;
  const nn::AttentionOptions& attention = o.transformer.attention;
  const bool is_its = attention.stacks.visit(
      [&](const auto& in) { return side == Side::kEncoder ? in.kEncoder : in.kDecoder; });
  return is_its ? attention.kind : full;
}

void check(const Seq2SeqOptions& o) {
  formats::check_scopes(o);
  check_positions(o);
  o.transformer.check();
  if (o.is_transformer()) {
    check_limits(o);
    check_sizes(o);
  }
  if (o.cnn_width % 2 == 0) {
    fail<OptionError>("--cnn-width", "expected an odd number of tokens, got {}", o.cnn_width);
  }
  for (const int64_t depth : {o.enc_depth, o.dec_depth}) {
    nn::layer_order({.depth = depth, .tied_layers = o.transformer.tied_layers});
  }
}

void check(const Seq2SeqOptions& o, const Seq2SeqSizes& s) {
  check(o);
  if (o.tied_embeddings_all && s.source_vocab != s.target_vocab) {
    fail<OptionError>("--tied-embeddings-all",
                      "needs one vocabulary for both sides; the source has {} entries, the "
                      "target {}; hint: name the same vocabulary file twice",
                      s.source_vocab, s.target_vocab);
  }
  if (s.begin_id >= s.target_vocab || s.end_id >= s.target_vocab) {
    fail<OptionError>("model", "begin id {} and end id {} must be below the vocabulary size {}",
                      s.begin_id, s.end_id, s.target_vocab);
  }
}

}  // namespace weft::models
