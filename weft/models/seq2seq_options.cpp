#include "weft/models/seq2seq_options.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "weft/core/error.h"
#include "weft/models/unread_options.h"
#include "weft/nn/transformer/layers.h"

namespace weft::models {
namespace {

// Of factors in the model: float32 keeps what it computes with them apart from 0 and infinity.
constexpr double kMinScale = 1e-6, kMaxScale = 1e6;

void check_positions(const Seq2SeqOptions& o) {
  if (o.position == "rotary-2d") {
    fail<OptionError>("--position",
                      "rotary-2d turns by a row and a column, and text has neither; expected "
                      "rotary for text");
  }
  const bool is_in_attention =
      o.position == "rotary" || o.position == "relative" || o.position == "alibi";
  if (is_in_attention && !o.is_transformer()) {
    fail<OptionError>("--position",
                      "{} acts in self-attention, which --type {} has none of; expected none, "
                      "index, sinusoidal or learned",
                      o.position, o.type);
  }
  if (o.position == "rotary" && o.key_size() % 2 != 0) {
    fail<OptionError>("--position",
                      "rotary turns pairs of features; expected an even size of a "
                      "head's keys, got {}",
                      o.key_size());
  }
  const Seq2SeqOptions plain;
  const std::tuple<const char*, bool, const char*> own[] = {
      {"--position-scale", o.position_scale == plain.position_scale, "index"},
      {"--rotary-base", o.rotary_base == plain.rotary_base, "rotary"},
      {"--relative-buckets", o.relative_buckets == plain.relative_buckets, "relative"},
      {"--relative-max-distance", o.relative_max_distance == plain.relative_max_distance,
       "relative"}};
  for (const auto& [option, is_default, position] : own) {
    if (is_default || o.position == position) continue;
    fail<OptionError>(option, "belongs to --position {}; got it with {}", position, o.position);
  }
  if (o.position == "relative" && o.relative_max_distance <= o.relative_buckets / 2) {
    fail<OptionError>("--relative-max-distance",
                      "expected more than half of --relative-buckets {}, got {}",
                      o.relative_buckets, o.relative_max_distance);
  }
}

void check_prior(const Seq2SeqOptions& o) {
  const Seq2SeqOptions plain;
  const std::pair<const char*, bool> of_prior[] = {
      {"--attention-prior-width", o.attention_prior_width == plain.attention_prior_width},
      {"--attention-prior-ratio", o.attention_prior_ratio == plain.attention_prior_ratio}};
  for (const auto& [option, is_default] : of_prior) {
    if (o.attention_prior == "none" && !is_default) {
      fail<OptionError>(option, "needs --attention-prior diagonal or monotonic");
    }
  }
}

void check_attention(const Seq2SeqOptions& o) {
  if (o.key_heads != 0 && o.heads % o.key_heads != 0) {
    fail<OptionError>("--transformer-key-heads",
                      "{} heads of keys do not divide --transformer-heads {}", o.key_heads,
                      o.heads);
  }
  struct Own {
    const char* option;
    int64_t value, plain;
    const char *kind, *other_kind;
    bool is_needed;
  };
  const Own all[] = {
      {"--attention-window", o.attention_window, 0, "local", "local", true},
      {"--attention-keys", o.attention_keys, 0, "linformer", "linformer", true},
      {"--attention-clusters", o.attention_clusters, 0, "clustered", "clustered", true},
      {"--attention-block", o.attention_block, 0, "block-sparse", "sinkhorn", true},
      {"--attention-global", o.attention_global, 0, "block-sparse", "block-sparse", false},
      {"--attention-sorting-steps", o.attention_sorting_steps, 5, "sinkhorn", "sinkhorn", false}};
  for (const Own& own : all) {
    const bool is_its = o.attention == own.kind || o.attention == own.other_kind;
    if (is_its && own.is_needed && own.value == own.plain) {
      fail<OptionError>("--attention", "{} needs {}; expected at least 1", o.attention, own.option);
    }
    if (!is_its && own.value != own.plain) {
      const std::string_view kind = own.kind, other = own.other_kind;
      fail<OptionError>(own.option, "belongs to --attention {}{}{}; got it with {}", kind,
                        kind == other ? "" : " or ", kind == other ? "" : other, o.attention);
    }
  }
  const bool is_hashed = o.attention_clustering == "hash";
  if (is_hashed && o.attention != "clustered") {
    fail<OptionError>("--attention-clustering", "belongs to --attention clustered; got it with {}",
                      o.attention);
  }
  if (is_hashed && o.attention_clusters % 2 != 0) {
    fail<OptionError>("--attention-clusters",
                      "hashing has a bucket on both sides of each direction; expected an even "
                      "number, got {}",
                      o.attention_clusters);
  }
  if (!is_hashed && o.attention_rounds != 1) {
    fail<OptionError>("--attention-rounds",
                      "belongs to --attention-clustering hash; expected 1 without it");
  }
  if (o.attention == "full" && o.attention_in != "all") {
    fail<OptionError>("--attention-in",
                      "the other side's attention is full in any case; expected all, or another "
                      "--attention than full");
  }
}

// What a kind of attention cannot do, with the reason.
struct Limits {
  const char* causal = nullptr;       // in a decoder
  const char* function = nullptr;     // another --attention-activation
  const char* lone_scores = nullptr;  // weights that each come from one score alone
  const char* dropout = nullptr;      // on weights
  const char* key_heads = nullptr;    // shared by heads
  const char* qk_norm = nullptr;      // norms of queries and keys
  const char* score_bias = nullptr;   // positions added to scores
  const char* rotary = nullptr;       // positions that turn queries and keys
};

const Limits kLinear = {
    .function = "forms no scores to make weights of",
    .dropout = "forms no weights to drop",
    .key_heads = "has a state for each head; expected 0",
    .qk_norm = "forms no scores to keep small",
    .score_bias = "forms no scores to add to; expected none, index, sinusoidal or learned",
    .rotary =
        "has positive queries and keys, which turning would make negative; expected none, "
        "index, sinusoidal or learned"};
// Without positive features, what is turned may be of any sign.
const Limits kBareLinear = [] {
  Limits limits = kLinear;
  limits.rotary = nullptr;
  return limits;
}();
const Limits kLinformer = {
    .causal =
        "mixes keys of whole sentences, of which a decoder must not see what comes later; "
        "expected --attention-in encoder",
    .score_bias =
        "scores mixtures of rows, which stand nowhere; expected none, index, sinusoidal "
        "or learned",
    .rotary =
        "mixes keys, which are turned each in its own way; expected none, index, sinusoidal "
        "or learned"};
const Limits kSynthesizer = {
    .qk_norm = "forms no products of queries and keys",
    .rotary =
        "has no queries and keys to turn; expected none, index, sinusoidal, learned, "
        "relative or alibi"};

const Limits kClustered = {
    .lone_scores =
        "hides a row from itself, unless it is alone, by a score far below all others; expected "
        "softmax, sparsemax or entmax15, which compare scores",
    .key_heads = "has keys that are the queries; expected 0",
    .qk_norm = "norms its keys in any case",
    .score_bias =
        "groups rows, whose distances are then lost; expected none, index, sinusoidal or "
        "learned",
    .rotary =
        "groups rows by what they are, not by where they stand; expected none, index, "
        "sinusoidal or learned"};

const Limits kSinkhorn = {
    .causal =
        "sorts by means of whole blocks, of which a decoder must not see what comes later; "
        "expected --attention-in encoder",
    .key_heads = "sorts the keys of each head; expected 0",
    .score_bias =
        "sorts blocks, whose distances are then lost; expected none, index, sinusoidal "
        "or learned",
    .rotary =
        "mixes keys, which are turned each in its own way; expected none, index, sinusoidal "
        "or learned"};

Limits limits_of(std::string_view kind) {
  if (kind == "linear") return kLinear;
  if (kind == "linear-bare") return kBareLinear;
  if (kind == "linformer") return kLinformer;
  if (kind == "synthesizer-dense" || kind == "synthesizer-random") return kSynthesizer;
  if (kind == "clustered") return kClustered;
  if (kind == "sinkhorn") return kSinkhorn;
  return {};
}

bool weighs_each_score_alone(const Seq2SeqOptions& o) {
  return o.attention_activation == "relu" || o.attention_activation == "relu2" ||
         o.attention_activation == "sigmoid";
}

void check_limits(const Seq2SeqOptions& o) {
  const Seq2SeqOptions plain;
  const Limits limits = limits_of(o.attention);
  const std::tuple<const char*, bool, const char*> all[] = {
      {"--attention-in", o.attention_in != "encoder" && o.is_left_to_right(), limits.causal},
      {"--attention-activation", o.attention_activation != plain.attention_activation,
       limits.function},
      {"--attention-activation", weighs_each_score_alone(o), limits.lone_scores},
      {"--attention-qk-norm", o.attention_qk_norm != "none", limits.qk_norm},
      {"--transformer-dropout-attention", o.dropout_attention != 0, limits.dropout},
      {"--transformer-key-heads", o.key_heads != 0, limits.key_heads},
      {"--position", o.position == "relative" || o.position == "alibi", limits.score_bias},
      {"--position", o.position == "rotary", limits.rotary}};
  for (const auto& [option, is_asked_for, why] : all) {
    if (is_asked_for && why != nullptr)
      fail<OptionError>(option, "--attention {} {}", o.attention, why);
  }
}

// What the other ways to generate have of their own.
void check_generation(const Seq2SeqOptions& o) {
  const Seq2SeqOptions plain;
  const std::tuple<const char*, bool, const char*> needs[] = {
      {"--length-from", o.length_from == plain.length_from || o.generation == "parallel",
       "--generation parallel"},
      {"--length-difference", o.length_difference == plain.length_difference || o.predicts_length(),
       "--generation mask-predict, or parallel with --length-from classifier"},
      {"--length-ratio", o.length_ratio == plain.length_ratio || o.length_from == "end",
       "--length-from end"},
      {"--length-offset", o.length_offset == plain.length_offset || o.length_from == "end",
       "--length-from end"},
      {"--ctc-upsampling", o.ctc_upsampling == plain.ctc_upsampling || o.is_ctc(),
       "--generation ctc"}};
  for (const auto& [option, holds, what] : needs) {
    if (!holds) fail<OptionError>(option, "needs {}", what);
  }
}

}  // namespace

const std::string& self_attention_of(const Seq2SeqOptions& o, Side side) {
  static const std::string full = "full";
  const char* name = side == Side::kEncoder ? "encoder" : "decoder";
  return o.attention_in == "all" || o.attention_in == name ? o.attention : full;
}

double residual_scale(const Seq2SeqOptions& o) {
  double value = 0;
  const char* end = o.residual_scale.data() + o.residual_scale.size();
  const auto [rest, error] = std::from_chars(o.residual_scale.data(), end, value);
  if (error != std::errc() || rest != end || !(value >= kMinScale && value <= kMaxScale)) {
    fail<OptionError>("--residual-scale", "expected a number from {} to {}, or deepnorm; got '{}'",
                      kMinScale, kMaxScale, o.residual_scale);
  }
  return value;
}

void check(const Seq2SeqOptions& o) {
  check_unread(o);
  if (o.rnn_input_feeding && o.rnn_attention != "luong") {
    fail<OptionError>("--rnn-input-feeding",
                      "contradicts --rnn-attention {}, whose context is the cell's input in any "
                      "case; expected luong",
                      o.rnn_attention);
  }
  if (o.attention_scale != 0 && o.attention_scale < kMinScale) {
    fail<OptionError>("--attention-scale", "expected a number from {} to {}, or 0; got {}",
                      kMinScale, kMaxScale, o.attention_scale);
  }
  check_positions(o);
  check_prior(o);
  check_attention(o);
  check_generation(o);
  check_limits(o);
  if (o.cnn_width % 2 == 0) {
    fail<OptionError>("--cnn-width", "expected an odd number of tokens, got {}", o.cnn_width);
  }
  if (o.is_transformer() && (o.dim_key == 0 || o.dim_value == 0) && o.dim_emb % o.heads != 0) {
    fail<OptionError>("--transformer-heads",
                      "{} heads do not divide --dim-emb {}; expected a divisor, or "
                      "--transformer-dim-key and --transformer-dim-value",
                      o.heads, o.dim_emb);
  }
  const int64_t key_heads = o.key_heads == 0 ? o.heads : o.key_heads;
  if (o.is_transformer() && key_heads * std::min(o.key_size(), o.value_size()) < 2) {
    fail<OptionError>("--transformer-key-heads",
                      "one head of keys and values, of one feature each, is too small; expected 2 "
                      "features over all heads");
  }
  if (o.residual_scale == "deepnorm" && o.norm != "post") {
    fail<OptionError>("--residual-scale",
                      "deepnorm is made for norms after the sublayers; expected --transformer-norm "
                      "post, got {}",
                      o.norm);
  }
  if (o.residual_scale != "deepnorm") residual_scale(o);
  for (const int64_t depth : {o.enc_depth, o.dec_depth}) {
    nn::layer_order({.depth = depth, .tied_layers = o.tied_layers});
  }
  if (o.norm_kind == "batch" && !o.tied_layers.empty()) {
    fail<OptionError>("--tied-layers",
                      "layers that share a batch norm would mix their running statistics; expected "
                      "--norm-kind layer or rms");
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
