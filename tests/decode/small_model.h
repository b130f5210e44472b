// Small models with random weights, in the variations that decoding has to agree with.
#ifndef WEFT_TESTS_DECODE_SMALL_MODEL_H_
#define WEFT_TESTS_DECODE_SMALL_MODEL_H_

#include <fmt/core.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/support/options.h"
#include "weft/core/random.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/models/seq2seq/seq2seq.h"

namespace weft::decode {

inline constexpr int32_t kEnd = 0, kBegin = 2;

struct ModelCase {
  std::string name;
  models::Seq2SeqOptions options;
  friend std::ostream& operator<<(std::ostream& out, const ModelCase& c) { return out << c.name; }
};

inline models::Seq2SeqOptions small_options() {
  models::Seq2SeqOptions o;
  o.encoder.enc_depth = 2;
  o.decoder.dec_depth = 2;
  o.encoder.dim_emb = 32;
  o.encoder.transformer.attention.heads = 4;
  o.encoder.transformer.feed_forward.inner = 48;
  o.encoder.position.max_positions = 40;
  return o;
}

// Models from before the Transformer.
inline void add_earlier_models(std::vector<ModelCase>& cases) {
  const auto put = [&](std::string name, std::string type) -> models::Seq2SeqOptions& {
    models::Seq2SeqOptions o;
    o.type.select(type);
    o.encoder.enc_depth = o.decoder.dec_depth = 2;
    o.encoder.dim_emb = 32;
    cases.push_back({std::move(name), o});
    return cases.back().options;
  };
  put("lstm", "rnn");
  test::set(put("gru, read both ways", "rnn"), "--rnn-cell gru --enc-type bidirectional");
  test::set(put("tanh, more layers of the decoder", "rnn"), "--rnn-cell tanh");
  cases.back().options.decoder.dec_depth = 3;
  put("lstm with Bahdanau's attention", "rnn-attention");
  test::set(put("gru with Bahdanau's attention, one layer", "rnn-attention"), "--rnn-cell gru");
  cases.back().options.encoder.enc_depth = cases.back().options.decoder.dec_depth = 1;
  test::set(put("relu with Luong's attention", "rnn-attention"),
            "--rnn-cell relu --rnn-attention luong");
  test::set(put("lstm with Luong's attention, fed back", "rnn-attention"),
            "--rnn-attention luong --rnn-input-feeding");
  put("convolutions", "cnn").encoder.enc_depth = 3;
  test::set(put("convolutions with Luong's attention", "cnn"), "--rnn-attention luong");
  test::set(cases.back().options, "--position learned");
  cases.back().options.encoder.position.max_positions = 40;
  cases.back().options.tied_embeddings_all = true;
}

// Kinds of self-attention.
inline void add_attention_kinds(std::vector<ModelCase>& cases) {
  const auto add = [&](std::string name) -> models::Seq2SeqOptions& {
    return cases.emplace_back(ModelCase{std::move(name), small_options()}).options;
  };
  models::Seq2SeqOptions& local = add("local attention, one head of keys");
  test::set(local, "--attention local --attention-window 2");
  local.encoder.transformer.attention.key_heads = 1;
  test::set(add("linear attention"), "--attention linear");
  test::set(add("unnormalised linear attention"), "--attention linear-unnormalised");
  test::set(add("average attention"), "--attention average");
  models::Seq2SeqOptions& averages =
      add("average attention in the decoder, values of another size");
  test::set(averages, "--attention average --attention-in decoder");
  averages.encoder.transformer.attention.value_size = 10;
  models::Seq2SeqOptions& turned = add("unnormalised linear attention, rotary");
  test::set(turned, "--attention linear-unnormalised --position rotary");
  models::Seq2SeqOptions& sparse = add("block-sparse attention, alibi, two heads of keys");
  test::set(sparse,
            "--attention block-sparse --attention-block 2 --attention-global 1 --position alibi");
  sparse.encoder.transformer.attention.key_heads = 2;
  models::Seq2SeqOptions& diagonal = add("diagonal prior, one head of keys");
  test::set(diagonal,
            "--attention-prior diagonal --attention-prior-width 2 --attention-prior-ratio 0.7");
  diagonal.encoder.transformer.attention.key_heads = 1;
  test::set(add("monotonic prior"), "--attention-prior monotonic");
  models::Seq2SeqOptions& normed = add("rms norms of queries and keys, rotary");
  test::set(normed, "--attention-qk-norm rms --position rotary");
  models::Seq2SeqOptions& cosines = add("cosines as scores, two heads of keys");
  test::set(cosines, "--attention-qk-norm l2");
  cosines.encoder.transformer.attention.key_heads = 2;
  models::Seq2SeqOptions& one_side = add("linear attention in the encoder");
  test::set(one_side, "--attention linear --attention-in encoder");
  models::Seq2SeqOptions& low_rank = add("low-rank keys in the encoder, two heads of them");
  test::set(low_rank, "--attention linformer --attention-in encoder --attention-keys 6");
  low_rank.encoder.transformer.attention.key_heads = 2;
  models::Seq2SeqOptions& dense = add("weights that rows give places, alibi, one head of keys");
  test::set(dense, "--attention synthesizer-dense --position alibi");
  dense.encoder.transformer.attention.key_heads = 1;
  test::set(add("weights that places give places"), "--attention synthesizer-random");
  models::Seq2SeqOptions& sorted = add("sorted blocks in the encoder, value sizes apart");
  test::set(sorted, "--attention sinkhorn --attention-in encoder --attention-block 3");
  sorted.encoder.transformer.attention.value_size = 10;
  models::Seq2SeqOptions& clustered = add("clusters by centroids");
  test::set(clustered, "--attention clustered --attention-clusters 3");
  models::Seq2SeqOptions& hashed = add("clusters by two hashes, keys and values of other sizes");
  test::set(hashed,
            "--attention clustered --attention-clustering hash --attention-clusters 4 "
            "--attention-rounds 2");
  hashed.encoder.transformer.attention.key_size = 6;
  hashed.encoder.transformer.attention.value_size = 10;
}

// What language models have.
inline void add_caps_and_layers(std::vector<ModelCase>& cases) {
  const auto add = [&](std::string name, const std::string& flags) {
    cases.push_back({std::move(name), small_options()});
    test::set(cases.back().options, flags);
  };
  add("sandwich norms, rms", "--transformer-norm sandwich --norm-kind rms");
  add("local and full layers, each with its rotations",
      "--attention local --attention-window 2 --attention-full-every 2 --attention-full-first 2 "
      "--position rotary --rotary-local-base 100 --rotary-local-factor 2");
  add("soft caps, alibi", "--attention-soft-cap 2 --output-soft-cap 3 --position alibi");
  add("local attention with a soft cap, one head of keys",
      "--attention local --attention-window 3 --attention-soft-cap 2 --transformer-key-heads 1");
  add("rotary, keys of another size, value biases alone",
      "--position rotary --transformer-dim-key 6 --attention-query-bias false "
      "--attention-key-bias false --attention-output-bias false");
}

inline void add_pruned_heads(std::vector<ModelCase>& cases) {
  const auto add = [&](std::string name, const std::string& flags) {
    cases.push_back({std::move(name), small_options()});
    test::set(cases.back().options, flags);
  };
  add("pruned heads, rotary",
      "--position rotary --prune-heads encoder.1.3 decoder.2.1 decoder.2.2 decoder.2.4 "
      "decoder-cross.1.1 decoder-cross.2.2");
  add("linear attention, pruned heads, monotonic prior",
      "--attention linear --attention-prior monotonic --prune-heads encoder.2.1 decoder.1.4 "
      "decoder-cross.2.3 decoder-cross.2.4");
}

inline std::vector<ModelCase> transformer_cases() {
  std::vector<ModelCase> cases(9, {"", small_options()});
  cases[0].name = "post-norm, sinusoidal";
  cases[1].name = "pre-norm";
  test::set(cases[1].options, "--transformer-norm pre");
  cases[2].name = "learned positions";
  test::set(cases[2].options, "--position learned");
  cases[3].name = "gated silu";
  test::set(cases[3].options, "--transformer-ffn-activation silu");
  cases[3].options.encoder.transformer.feed_forward.gated = true;
  cases[4].name = "key and value sizes apart, no biases";
  cases[4].options.encoder.transformer.attention.key_size = 6;
  cases[4].options.encoder.transformer.attention.value_size = 10;
  cases[4].options.encoder.transformer.attention.bias = false;
  cases[4].options.decoder.output_bias = false;
  cases[5].name = "all embeddings tied, gelu";
  cases[5].options.tied_embeddings_all = true;
  test::set(cases[5].options, "--transformer-ffn-activation gelu");
  cases[6].name = "pre-norm, rms";
  test::set(cases[6].options, "--transformer-norm pre --norm-kind rms");
  cases[7].name = "tied layers, deepnorm";
  cases[7].options.encoder.transformer.tied_layers = {1};
  cases[7].options.encoder.transformer.residual_scale = "deepnorm";
  cases[8].name = "pre-norm, batch norm";
  test::set(cases[8].options, "--transformer-norm pre");
  cases[8].options.decoder.output_bias = false;  // statistics at their start leave states large
  test::set(cases[8].options, "--norm-kind batch");
  const auto add = [&](std::string name) -> models::Seq2SeqOptions& {
    return cases.emplace_back(ModelCase{std::move(name), small_options()}).options;
  };
  for (const char* position : {"none", "rotary", "alibi"}) {
    test::set(add(std::string(position) + " positions"), fmt::format("--position {}", position));
  }
  models::Seq2SeqOptions& index = add("index positions");
  test::set(index, "--position index --position-scale 0.1");
  models::Seq2SeqOptions& relative = add("relative positions");
  // So few buckets that sentences reach those in growing steps, and beyond.
  test::set(relative, "--position relative --relative-buckets 8 --relative-max-distance 20");
  for (const char* function : {"relu", "relu2", "sigmoid", "sparsemax", "entmax15"}) {
    test::set(add(std::string(function) + " in place of softmax"),
              fmt::format("--attention-activation {}", function));
  }
  add_attention_kinds(cases);
  add_caps_and_layers(cases);
  add_pruned_heads(cases);
  return cases;
}

// Those that attend to the source.
inline std::vector<ModelCase> attending_cases() {
  std::vector<ModelCase> cases = transformer_cases();
  add_earlier_models(cases);
  std::erase_if(cases, [](const ModelCase& c) { return c.options.type.is<models::RnnType>(); });
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
  fill_relative(model.source.position, 1);
  fill_relative(model.decoder.embedding.position, 2);
  if (options.decoder.output_bias && dtype == DType::kF32)
    model.decoder.output_bias.value.data<float>()[kEnd] = 2;
  return model;
}

// The same with its matrices packed.
inline models::Seq2Seq packed_model(const models::Seq2SeqOptions& options,
                                    kernels::PackedType type) {
  models::Seq2Seq model = small_model(options);
  for (const auto& [name, p] : nn::parameters_of(model)) {
    if (!p->is_matrix()) continue;
    p->packed = PackedWeight(p->value, type);
    p->value = {};
  }
  return model;
}

// Sentences of 1 to `longest` tokens, each with its end symbol.
inline data::Tokens random_sentences(int64_t count, uint64_t longest) {
  RandomStream random(3, 1);
  data::Tokens out;
  for (int64_t s = 0; s < count; ++s) {
    std::vector<int32_t> ids(1 + random.below(longest));
    for (int32_t& id : ids) id = 3 + static_cast<int32_t>(random.below(47));
    out.add(ids, kEnd);
  }
  return out;
}

}  // namespace weft::decode

#endif  // WEFT_TESTS_DECODE_SMALL_MODEL_H_
