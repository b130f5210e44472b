// Attention of whole models as a trace records it: against the layers' own sums, a softmax by hand,
// and decoding step by step; and what it may not change.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/decode/small_model.h"
#include "tests/support/tensors.h"
#include "weft/kernels/gemm.h"
#include "weft/nn/attention/kinds.h"
#include "weft/nn/attention/trace.h"
#include "weft/ops/activation.h"

namespace weft::models {
namespace {

using decode::kBegin;
using decode::ModelCase;
using nn::AttentionKey;
using nn::AttentionRole;
using test::distance;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr int64_t kExamples = 3;

// Sources and targets of three pairs.
struct Pairs {
  data::Tokens sources = decode::random_sentences(kExamples, 9), inputs;

  Pairs() {
    for (const std::vector<int32_t>& ids :
         {std::vector<int32_t>{kBegin, 7, 9, 4, 30}, {kBegin}, {kBegin, 8, 8, 11}}) {
      inputs.add(ids);
    }
  }
  ops::LayoutPtr source_rows() const { return ops::make_layout(sources.segments); }
  ops::LayoutPtr target_rows() const { return ops::make_layout(inputs.segments); }
  nn::Memory encode(const Seq2Seq& model, const nn::Context& context) const {
    return model.encode(sources, context);
  }
  Tensor decode(const Seq2Seq& model, const nn::Memory& memory, const nn::Context& context) const {
    return model.decoder.forward({ops::make_ids(inputs.ids), target_rows()}, memory, context);
  }
};

nn::AttentionTrace trace_of(const Seq2Seq& model, const Pairs& pairs) {
  nn::AttentionTrace trace;
  nn::Context context;
  context.observer = &trace;
  pairs.decode(model, pairs.encode(model, context), context);
  return trace;
}

// One attention at work: what its queries, and its keys and values, are projected from.
struct AtWork {
  const nn::MultiHeadAttention& attention;
  Tensor x, memory;
  ops::LayoutPtr rows, memory_rows;
};

// The rows of `x` that are of an example.
Tensor part(const Tensor& x, const ops::Layout& rows, int64_t example) {
  return x.row_range(rows.segments.begin(example), rows.segments.end(example));
}

// The attention's output by the traced probabilities: each head's times its values.
Tensor output_by(const nn::AttentionTrace& trace, const AttentionKey& key, const AtWork& work) {
  const nn::AttentionConfig& config = work.attention.config;
  const int64_t size = config.value_size, group = config.heads / config.groups();
  const Tensor v = nn::linear(work.memory, {&work.attention.v_weight}, {&work.attention.v_bias},
                              ops::Activation::kNone, nullptr);  // [M, G*Kv]
  const Tensor heads = Tensor::zeros({work.x.rows(), config.heads * size}, DType::kF64);
  for (int64_t b = 0; b < kExamples; ++b) {
    const auto probabilities = trace.probabilities(key, b);
    EXPECT_EQ(std::ssize(probabilities), config.heads);
    for (int64_t h = 0; h < config.heads; ++h) {
      const int64_t g = h / group;
      backend_of(v)(kernels::Gemm{
          .a = probabilities[static_cast<size_t>(h)],
          .b = part(v, *work.memory_rows, b).col_range(g * size, (g + 1) * size).clone(),
          .c = part(heads, *work.rows, b).col_range(h * size, (h + 1) * size)});
    }
  }
  const auto* average = std::get_if<nn::AverageAttention>(&config.kind.module());
  if (average == nullptr) return work.attention.out_proj(heads, nullptr);
  const Tensor hidden = ops::activate(ops::Activation::kRelu, heads, nullptr);
  return average->output(work.x, work.attention.out_proj(hidden, nullptr), {});
}

// softmax(q k^T / sqrt(K)) of one head and example, [T, S], in loops.
Tensor softmax_by_hand(const AtWork& work, int64_t example, int64_t head, bool causal) {
  const nn::AttentionConfig& config = work.attention.config;
  const int64_t size = config.key_size;
  const auto project = [&](const Tensor& x, const nn::Parameter& weight,
                           const nn::Parameter& bias) {
    return nn::linear(x, {&weight}, {&bias}, ops::Activation::kNone, nullptr)
        .col_range(head * size, (head + 1) * size)
        .clone();
  };
  const Tensor q =
      project(part(work.x, *work.rows, example), work.attention.q_weight, work.attention.q_bias);
  const Tensor k = project(part(work.memory, *work.memory_rows, example), work.attention.k_weight,
                           work.attention.k_bias);
  const Tensor out = Tensor::zeros({q.rows(), k.rows()}, DType::kF64);
  for (int64_t i = 0; i < q.rows(); ++i) {
    double sum = 0;
    const int64_t keys = causal ? i + 1 : k.rows();
    for (int64_t j = 0; j < keys; ++j) {
      double score = 0;
      for (int64_t f = 0; f < size; ++f) {
        score += q.data<double>()[i * size + f] * k.data<double>()[j * size + f];
      }
      sum += out.data<double>()[i * k.rows() + j] =
          std::exp(score / std::sqrt(static_cast<double>(size)));
    }
    for (int64_t j = 0; j < keys; ++j) out.data<double>()[i * k.rows() + j] /= sum;
  }
  return out;
}

// Calls check(key, attention at work, its output, causal) for every attention of a model.
template <class Check>
void walk(const Seq2Seq& model, const Pairs& pairs, Check check) {
  const nn::Context context;
  const auto run = [&](const nn::Stack& stack, Tensor x, const ops::LayoutPtr& rows,
                       const nn::Position& position, const nn::Memory& memory) {
    const nn::AttentionPosition biased = position.in_attention(rows, context);
    for (size_t l = 0; l < stack.order.size(); ++l) {
      const nn::Block& block = stack.layers[stack.order[l]];
      const nn::SelfLayout self{rows, biased, stack.causal};
      const auto layer = static_cast<int64_t>(l);
      Tensor h, y;  // what the attention reads and makes
      const Tensor attended = block.self_residual(x, rows, context, [&](const Tensor& in) {
        h = in;
        return y = block.self_attn.forward(in, self, context);
      });
      check(AttentionKey{stack.name, layer, AttentionRole::kSelf},
            AtWork{block.self_attn, h, h, rows, rows}, y, stack.causal);
      if (block.encoder_attn) {
        block.cross_residual(attended, rows, context, [&](const Tensor& in) {
          h = in;
          return y = block.encoder_attn->cross(
                     in, nn::CrossLayout{rows, memory.states, memory.rows}, context);
        });
        check(AttentionKey{stack.name, layer, AttentionRole::kCross},
              AtWork{*block.encoder_attn, h, memory.states, rows, memory.rows}, y, false);
      }
      x = block.forward(x, self, memory, context);
    }
  };
  const TokenEmbedding& target = model.decoder.embedding;
  const nn::Parameter& source_table =
      model.options.tied_embeddings_all ? target.table : model.source.table;
  const ops::LayoutPtr source_rows = pairs.source_rows(), target_rows = pairs.target_rows();
  const nn::Memory memory = pairs.encode(model, context);
  run(std::get<nn::Stack>(model.encoder.kind),
      model.source.embed(source_table, {ops::make_ids(pairs.sources.ids), source_rows}, context),
      source_rows, model.source.position, {});
  run(std::get<nn::Stack>(model.decoder.layers.kind),
      target({ops::make_ids(pairs.inputs.ids), target_rows}, context), target_rows, target.position,
      memory);
}

bool has_rows_as_keys(const nn::MultiHeadAttention& attention) {
  return !std::holds_alternative<nn::LinformerAttention>(attention.config.kind.module()) &&
         !std::holds_alternative<nn::SinkhornAttention>(attention.config.kind.module());
}

TEST(AttentionTraceOfModels, IsWhatEveryLayersOutputIsMadeBy) {
  const Pairs pairs;
  for (const ModelCase& c : decode::transformer_cases()) {
    SCOPED_TRACE(c.name);
    const Seq2Seq model = decode::small_model(c.options, DType::kF64);
    const nn::AttentionTrace trace = trace_of(model, pairs);
    int64_t traced = 0;
    walk(model, pairs, [&](const AttentionKey& key, const AtWork& work, const Tensor& y, bool) {
      if (!has_rows_as_keys(work.attention)) {
        EXPECT_THAT([&] { trace.probabilities(key, 0); },
                    ThrowsMessage<Error>(HasSubstr("was not recorded")));
        return;
      }
      ++traced;
      EXPECT_LT(distance(output_by(trace, key, work), y), 1e-10)
          << key.stack << " " << key.layer << " " << static_cast<int>(key.role);
    });
    EXPECT_EQ(std::ssize(trace.keys()), traced);
    EXPECT_GE(traced, 4);
  }
}

TEST(AttentionTraceOfModels, IsTheSoftmaxOfScoresByHand) {
  const Pairs pairs;
  for (const char* place : {"post", "pre"}) {
    SCOPED_TRACE(place);
    Seq2SeqOptions options = decode::small_options();
    test::set(options, fmt::format("--transformer-norm {}", place));
    const Seq2Seq model = decode::small_model(options, DType::kF64);
    const nn::AttentionTrace trace = trace_of(model, pairs);
    int64_t matrices = 0;
    walk(model, pairs,
         [&](const AttentionKey& key, const AtWork& work, const Tensor&, bool causal) {
           for (int64_t b = 0; b < kExamples; ++b) {
             for (int64_t h = 0; h < work.attention.config.heads; ++h) {
               const Tensor& p = trace.probabilities(key, b)[static_cast<size_t>(h)];
               EXPECT_LT(distance(p, softmax_by_hand(work, b, h, causal)), 1e-12)
                   << key.stack << " " << key.layer << " " << static_cast<int>(key.role);
               ++matrices;
             }
           }
         });
    EXPECT_EQ(matrices, (2 + 2 * 2) * kExamples * 4);
  }
}

// Row `row` of a matrix, its first `count` columns.
Tensor row_of(const Tensor& matrix, int64_t row, int64_t count) {
  return matrix.row_range(row, row + 1).col_range(0, count).clone();
}

// What a step of decoding recorded, at target row `t` of each of `at_work`.
void expect_rows(const nn::AttentionTrace& steps, const nn::AttentionTrace& whole,
                 std::span<const int64_t> at_work, int64_t t) {
  for (const AttentionKey& key : steps.keys()) {
    SCOPED_TRACE(
        fmt::format("{} {} {}, row {}", key.stack, key.layer, static_cast<int>(key.role), t));
    ASSERT_EQ(steps.examples(key), std::ssize(at_work));
    for (size_t w = 0; w < at_work.size(); ++w) {
      const auto heads = steps.probabilities(key, static_cast<int64_t>(w));
      const auto expected = whole.probabilities(key, at_work[w]);
      ASSERT_EQ(heads.size(), expected.size());
      for (size_t h = 0; h < heads.size(); ++h) {
        const int64_t keys = key.role == AttentionRole::kSelf ? t + 1 : expected[h].cols();
        ASSERT_EQ(heads[h].shape(), (Shape{1, keys}));
        EXPECT_LT(distance(heads[h].to(DType::kF64), row_of(expected[h], t, keys).to(DType::kF64)),
                  2e-5);
      }
    }
  }
}

TEST(AttentionTraceOfModels, OfDecodingStepsIsThatOfAWholePass) {
  const Pairs pairs;
  for (const ModelCase& c : decode::attending_cases()) {
    SCOPED_TRACE(c.name);
    const Seq2Seq model = decode::small_model(c.options);
    const nn::AttentionTrace whole = trace_of(model, pairs);
    nn::KvCache cache = model.decoder.make_cache();
    nn::Context context;
    cache.add_sequences(std::vector<int32_t>{0, 1, 2}, pairs.sources.segments);
    model.decoder.layers.prefill_cross(pairs.encode(model, context), cache);
    for (int64_t t = 0; t < 5; ++t) {
      std::vector<int64_t> at_work;
      std::vector<int32_t> ids, parents, counts;
      for (int64_t b = 0; b < kExamples; ++b) {
        const bool is_alive = t < std::ssize(pairs.inputs[b]);
        counts.push_back(is_alive ? 1 : 0);
        if (!is_alive) continue;
        parents.push_back(t == 0 ? -1 : 0);
        ids.push_back(pairs.inputs[b][static_cast<size_t>(t)]);
        at_work.push_back(b);
      }
      cache.begin_step(parents, counts);
      nn::AttentionTrace steps;
      context.observer = &steps;
      model.decoder.step(ops::make_ids(ids), cache, context);
      expect_rows(steps, whole, at_work, t);
      // All but linear attention, which keeps no keys.
      const bool is_linear = model.options.is_transformer() && c.name.find("linear") == 0;
      const bool is_unnormalised = c.name.find("unnormalised") == 0;
      const bool in_decoder = c.name.find("in the encoder") == std::string::npos;
      const bool lacks_self = (is_linear || is_unnormalised) && in_decoder;
      const int64_t layers = model.decoder.layers.cross_attentions();
      const bool has_self = model.options.is_transformer() && !lacks_self;
      EXPECT_EQ(std::ssize(steps.keys()), has_self ? 2 * layers : layers);
    }
  }
}

// Counts what it sees.
struct Counter final : nn::AttentionObserver {
  int64_t seen = 0;

  bool wants(const AttentionKey&) const override { return true; }
  void see(const AttentionKey&, const nn::ObservedAttention& attention, autograd::Tape*) override {
    ++seen;
    attention.probabilities({0, 0}, nullptr);
  }
};

TEST(AttentionTraceOfModels, ChangesNoBitOfTrainingAndIsRecordedOnce) {
  Seq2SeqOptions options = decode::small_options();
  options.encoder.transformer.dropout = options.encoder.transformer.attention.dropout = 0.3;
  options.encoder.transformer.drop_path = 0.2;
  Seq2Seq model = decode::small_model(options);
  const auto named = nn::parameters_of(model);
  const Tensor flat = nn::bind(named);
  nn::initialise(named, 11);
  data::Batch batch;
  batch.fields = {decode::random_sentences(4, 9), decode::random_sentences(4, 7)};
  batch.examples.resize(4);
  for (const bool recompute : {false, true}) {
    const auto run = [&](nn::AttentionObserver* observer) {
      autograd::Tape tape;
      autograd::Gradients gradients(flat);
      nn::Context context{.tape = &tape, .training = true, .key = {1, 2}};
      context.recompute = recompute;
      context.observer = observer;
      const ops::Loss loss = model.loss(batch, {.weight = 0.01}, context);
      tape.backward(loss.value, gradients);
      return std::pair(loss.total, gradients.flat());
    };
    Counter counter;
    const auto [loss, gradient] = run(nullptr);
    const auto [observed_loss, observed_gradient] = run(&counter);
    EXPECT_EQ(observed_loss, loss);
    EXPECT_TRUE(test::same_bits(observed_gradient, gradient));
    EXPECT_EQ(counter.seen, 2 + 2 * 2);
  }
}

}  // namespace
}  // namespace weft::models
