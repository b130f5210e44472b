#include "weft/models/seq2seq_options.h"

#include <tuple>

#include "weft/core/error.h"
#include "weft/models/unread_options.h"

namespace weft::models {
namespace {

bool is_transformer(const Seq2SeqOptions& o) { return o.type == "transformer"; }

void check_positions(const Seq2SeqOptions& o) {
  if (o.position == "rotary-2d") {
    fail<OptionError>("--position",
                      "rotary-2d turns by a row and a column, and text has neither; expected "
                      "rotary for text");
  }
  const bool is_in_attention =
      o.position == "rotary" || o.position == "relative" || o.position == "alibi";
  if (is_in_attention && !is_transformer(o)) {
    fail<OptionError>("--position",
                      "{} acts in self-attention, which --type {} has none of; expected none, "
                      "index, sinusoidal or learned",
                      o.position, o.type);
  }
  const int64_t key_size = o.dim_key != 0 ? o.dim_key : o.dim_emb / o.heads;
  if (o.position == "rotary" && key_size % 2 != 0) {
    fail<OptionError>("--position",
                      "rotary turns pairs of features; expected an even size of a "
                      "head's keys, got {}",
                      key_size);
  }
  if (o.position == "relative" && o.relative_max_distance <= o.relative_buckets / 2) {
    fail<OptionError>("--relative-max-distance",
                      "expected more than half of --relative-buckets {}, got {}",
                      o.relative_buckets, o.relative_max_distance);
  }
}

void check_attention(const Seq2SeqOptions& o) {
  if (o.key_heads != 0 && o.heads % o.key_heads != 0) {
    fail<OptionError>("--transformer-key-heads",
                      "{} heads of keys do not divide --transformer-heads {}", o.key_heads,
                      o.heads);
  }
  const auto belongs = [&](const char* option, int64_t value, const char* kind, bool is_needed) {
    if (o.attention == kind && is_needed && value == 0) {
      fail<OptionError>("--attention", "{} needs {}; expected at least 1", kind, option);
    }
    if (o.attention != kind && value != 0) {
      fail<OptionError>(option, "belongs to --attention {}; got it with {}", kind, o.attention);
    }
  };
  const Seq2SeqOptions plain;
  const std::pair<const char*, bool> of_prior[] = {
      {"--attention-prior-width", o.attention_prior_width == plain.attention_prior_width},
      {"--attention-prior-ratio", o.attention_prior_ratio == plain.attention_prior_ratio}};
  for (const auto& [option, is_default] : of_prior) {
    if (o.attention_prior == "none" && !is_default) {
      fail<OptionError>(option, "needs --attention-prior diagonal or monotonic");
    }
  }
  belongs("--attention-window", o.attention_window, "local", true);
  belongs("--attention-block", o.attention_block, "block-sparse", true);
  belongs("--attention-global", o.attention_global, "block-sparse", false);
  if (o.attention == "full" && o.attention_in != "all") {
    fail<OptionError>("--attention-in",
                      "the other side's attention is full in any case; expected all, or another "
                      "--attention than full");
  }
}

// Linear attention forms neither scores nor weights, and what acts on them has no place in it.
void check_linear(const Seq2SeqOptions& o) {
  if (o.attention != "linear" && o.attention != "linear-bare") return;
  const Seq2SeqOptions plain;
  const std::tuple<const char*, bool, const char*> needs[] = {
      {"--attention-activation", o.attention_activation == plain.attention_activation,
       "forms no scores to make weights of"},
      {"--attention-qk-norm", o.attention_qk_norm == "none", "forms no scores to keep small"},
      {"--transformer-dropout-attention", o.dropout_attention == 0, "forms no weights to drop"},
      {"--transformer-key-heads", o.key_heads == 0, "has a state for each head; expected 0"},
      {"--position", o.position != "relative" && o.position != "alibi",
       "forms no scores to add to; expected none, index, sinusoidal or learned"},
      {"--position", o.position != "rotary",
       "has positive queries and keys, which turning would make negative; expected none, index, "
       "sinusoidal or learned"}};
  for (const auto& [option, holds, why] : needs) {
    if (!holds) fail<OptionError>(option, "--attention {} {}", o.attention, why);
  }
}

}  // namespace

void check(const Seq2SeqOptions& o, const Seq2SeqSizes& s) {
  check_unread(o);
  if (o.rnn_input_feeding && o.rnn_attention != "luong") {
    fail<OptionError>("--rnn-input-feeding",
                      "contradicts --rnn-attention {}, whose context is the cell's input in any "
                      "case; expected luong",
                      o.rnn_attention);
  }
  check_positions(o);
  check_attention(o);
  check_linear(o);
  if (o.cnn_width % 2 == 0) {
    fail<OptionError>("--cnn-width", "expected an odd number of tokens, got {}", o.cnn_width);
  }
  if (is_transformer(o) && (o.dim_key == 0 || o.dim_value == 0) && o.dim_emb % o.heads != 0) {
    fail<OptionError>("--transformer-heads",
                      "{} heads do not divide --dim-emb {}; expected a divisor, or "
                      "--transformer-dim-key and --transformer-dim-value",
                      o.heads, o.dim_emb);
  }
  if (o.residual_scale == "deepnorm" && o.norm != "post") {
    fail<OptionError>("--residual-scale",
                      "deepnorm is made for norms after the sublayers; expected --transformer-norm "
                      "post, got {}",
                      o.norm);
  }
  if (o.norm_kind == "batch" && !o.tied_layers.empty()) {
    fail<OptionError>("--tied-layers",
                      "layers that share a batch norm would mix their running statistics; expected "
                      "--norm-kind layer or rms");
  }
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
