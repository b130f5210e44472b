// Small models with random weights, in the variations that decoding has to agree with.
#ifndef WEFT_TESTS_DECODE_SMALL_MODEL_H_
#define WEFT_TESTS_DECODE_SMALL_MODEL_H_

#include <ostream>
#include <string>
#include <vector>

#include "weft/core/random.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/models/seq2seq.h"

namespace weft::decode {

inline constexpr int32_t kEnd = 0, kBegin = 2;

struct ModelCase {
  std::string name;
  models::Seq2SeqOptions options;
  friend std::ostream& operator<<(std::ostream& out, const ModelCase& c) { return out << c.name; }
};

inline models::Seq2SeqOptions small_options() {
  models::Seq2SeqOptions o;
  o.enc_depth = 2;
  o.dec_depth = 2;
  o.dim_emb = 32;
  o.heads = 4;
  o.dim_ffn = 48;
  o.max_positions = 40;
  return o;
}

// Models from before the Transformer.
inline void add_earlier_models(std::vector<ModelCase>& cases) {
  const auto put = [&](std::string name, std::string type) -> models::Seq2SeqOptions& {
    models::Seq2SeqOptions o;
    o.type = std::move(type);
    o.enc_depth = o.dec_depth = 2;
    o.dim_emb = 32;
    cases.push_back({std::move(name), o});
    return cases.back().options;
  };
  put("lstm", "rnn");
  put("gru, read both ways", "rnn").rnn_cell = "gru";
  cases.back().options.enc_type = "bidirectional";
  put("tanh, more layers of the decoder", "rnn").rnn_cell = "tanh";
  cases.back().options.dec_depth = 3;
  put("lstm with Bahdanau's attention", "rnn-attention");
  put("gru with Bahdanau's attention, one layer", "rnn-attention").rnn_cell = "gru";
  cases.back().options.enc_depth = cases.back().options.dec_depth = 1;
  put("relu with Luong's attention", "rnn-attention").rnn_cell = "relu";
  cases.back().options.rnn_attention = "luong";
  put("lstm with Luong's attention, fed back", "rnn-attention").rnn_attention = "luong";
  cases.back().options.rnn_input_feeding = true;
  put("convolutions", "cnn").enc_depth = 3;
  put("convolutions with Luong's attention", "cnn").rnn_attention = "luong";
  cases.back().options.position = "learned";
  cases.back().options.max_positions = 40;
  cases.back().options.tied_embeddings_all = true;
}

// Kinds of self-attention.
inline void add_attention_kinds(std::vector<ModelCase>& cases) {
  const auto add = [&](std::string name) -> models::Seq2SeqOptions& {
    return cases.emplace_back(ModelCase{std::move(name), small_options()}).options;
  };
  models::Seq2SeqOptions& local = add("local attention, one head of keys");
  local.attention = "local";
  local.attention_window = 2;
  local.key_heads = 1;
  add("linear attention").attention = "linear";
  add("bare linear attention").attention = "linear-bare";
  models::Seq2SeqOptions& turned = add("bare linear attention, rotary");
  turned.attention = "linear-bare";
  turned.position = "rotary";
  models::Seq2SeqOptions& sparse = add("block-sparse attention, alibi, two heads of keys");
  sparse.attention = "block-sparse";
  sparse.attention_block = 2;
  sparse.attention_global = 1;
  sparse.position = "alibi";
  sparse.key_heads = 2;
  models::Seq2SeqOptions& diagonal = add("diagonal prior, one head of keys");
  diagonal.attention_prior = "diagonal";
  diagonal.attention_prior_width = 2;
  diagonal.attention_prior_ratio = 0.7;
  diagonal.key_heads = 1;
  add("monotonic prior").attention_prior = "monotonic";
  models::Seq2SeqOptions& normed = add("rms norms of queries and keys, rotary");
  normed.attention_qk_norm = "rms";
  normed.position = "rotary";
  models::Seq2SeqOptions& cosines = add("cosines as scores, two heads of keys");
  cosines.attention_qk_norm = "l2";
  cosines.key_heads = 2;
  models::Seq2SeqOptions& one_side = add("linear attention in the encoder");
  one_side.attention = "linear";
  one_side.attention_in = "encoder";
  models::Seq2SeqOptions& low_rank = add("low-rank keys in the encoder, two heads of them");
  low_rank.attention = "linformer";
  low_rank.attention_in = "encoder";
  low_rank.attention_keys = 6;
  low_rank.key_heads = 2;
  models::Seq2SeqOptions& dense = add("weights that rows give places, alibi, one head of keys");
  dense.attention = "synthesizer-dense";
  dense.position = "alibi";
  dense.key_heads = 1;
  add("weights that places give places").attention = "synthesizer-random";
  models::Seq2SeqOptions& sorted = add("sorted blocks in the encoder, value sizes apart");
  sorted.attention = "sinkhorn";
  sorted.attention_in = "encoder";
  sorted.attention_block = 3;
  sorted.dim_value = 10;
  models::Seq2SeqOptions& clustered = add("clusters by centroids");
  clustered.attention = "clustered";
  clustered.attention_clusters = 3;
  models::Seq2SeqOptions& hashed = add("clusters by two hashes, keys and values of other sizes");
  hashed.attention = "clustered";
  hashed.attention_clustering = "hash";
  hashed.attention_clusters = 4;
  hashed.attention_rounds = 2;
  hashed.dim_key = 6;
  hashed.dim_value = 10;
}

inline std::vector<ModelCase> transformer_cases() {
  std::vector<ModelCase> cases(9, {"", small_options()});
  cases[0].name = "post-norm, sinusoidal";
  cases[1].name = "pre-norm";
  cases[1].options.norm = "pre";
  cases[2].name = "learned positions";
  cases[2].options.position = "learned";
  cases[3].name = "gated silu";
  cases[3].options.ffn_activation = "silu";
  cases[3].options.ffn_gated = true;
  cases[4].name = "key and value sizes apart, no biases";
  cases[4].options.dim_key = 6;
  cases[4].options.dim_value = 10;
  cases[4].options.attention_bias = false;
  cases[4].options.output_bias = false;
  cases[5].name = "all embeddings tied, gelu";
  cases[5].options.tied_embeddings_all = true;
  cases[5].options.ffn_activation = "gelu";
  cases[6].name = "pre-norm, rms";
  cases[6].options.norm = "pre";
  cases[6].options.norm_kind = "rms";
  cases[7].name = "tied layers, deepnorm";
  cases[7].options.tied_layers = {1};
  cases[7].options.residual_scale = "deepnorm";
  cases[8].name = "pre-norm, batch norm";
  cases[8].options.norm = "pre";
  cases[8].options.output_bias = false;  // statistics at their start leave states large
  cases[8].options.norm_kind = "batch";
  const auto add = [&](std::string name) -> models::Seq2SeqOptions& {
    return cases.emplace_back(ModelCase{std::move(name), small_options()}).options;
  };
  for (const char* position : {"none", "rotary", "alibi"}) {
    add(std::string(position) + " positions").position = position;
  }
  models::Seq2SeqOptions& index = add("index positions");
  index.position = "index";
  index.position_scale = 0.1;
  models::Seq2SeqOptions& relative = add("relative positions");
  relative.position = "relative";  // so few that sentences reach those in growing steps, and beyond
  relative.relative_buckets = 8;
  relative.relative_max_distance = 20;
  for (const char* function : {"relu", "relu2", "sigmoid", "sparsemax", "entmax15"}) {
    add(std::string(function) + " in place of softmax").attention_activation = function;
  }
  add_attention_kinds(cases);
  return cases;
}

// Those that attend to the source.
inline std::vector<ModelCase> attending_cases() {
  std::vector<ModelCase> cases = transformer_cases();
  add_earlier_models(cases);
  std::erase_if(cases, [](const ModelCase& c) { return c.options.type == "rnn"; });
  return cases;
}

inline std::vector<ModelCase> model_cases() {
  std::vector<ModelCase> cases = transformer_cases();
  add_earlier_models(cases);
  return cases;
}

// Relative positions start from zeros, behind which anything could hide.
inline void fill_relative(nn::Position& position, uint64_t stream) {
  auto* const relative = std::get_if<nn::RelativePosition>(&position.kind);
  if (relative == nullptr) return;
  RandomStream random(11, stream);
  const Tensor& table = relative->weight.value;
  for (int64_t bucket = 0; bucket < table.rows(); ++bucket) {
    for (int64_t h = 0; h < table.cols(); ++h) {
      const Tensor at = table.row_range(bucket, bucket + 1).col_range(h, h + 1);
      backend_of(at)(kernels::Fill{.y = at, .value = random.normal()});
    }
  }
}

// A vocabulary of 50 on both sides. The end is made likelier, so that lengths differ.
inline models::Seq2Seq small_model(const models::Seq2SeqOptions& options,
                                   DType dtype = DType::kF32) {
  models::Seq2Seq model(
      options, {.source_vocab = 50, .target_vocab = 50, .begin_id = kBegin, .end_id = kEnd});
  const auto parameters = nn::parameters_of(model);
  nn::bind(parameters, dtype);
  nn::initialise(parameters, 11);
  fill_relative(model.encoder_position, 1);
  fill_relative(model.decoder_position, 2);
  if (options.output_bias && dtype == DType::kF32) model.output_bias.value.data<float>()[kEnd] = 2;
  return model;
}

// The same with its matrices packed.
inline models::Seq2Seq packed_model(const models::Seq2SeqOptions& options, DType type) {
  models::Seq2Seq model = small_model(options);
  for (const auto& [name, p] : nn::parameters_of(model)) {
    if (!p->is_matrix()) continue;
    p->packed = PackedWeight(p->value, type);
    p->value = {};
  }
  return model;
}

// Sentences of 1 to `longest` tokens, each with its end symbol.
inline data::Ragged random_sentences(int64_t count, uint64_t longest) {
  RandomStream random(3, 1);
  data::Ragged out;
  for (int64_t s = 0; s < count; ++s) {
    std::vector<int32_t> ids(1 + random.below(longest));
    for (int32_t& id : ids) id = 3 + static_cast<int32_t>(random.below(47));
    out.add(ids, kEnd);
  }
  return out;
}

}  // namespace weft::decode

#endif  // WEFT_TESTS_DECODE_SMALL_MODEL_H_
