#include "weft/decode/alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/decode/decoded.h"
#include "tests/decode/small_model.h"
#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "weft/core/error.h"
#include "weft/nn/attention/guide.h"

namespace weft::decode {
namespace {

using testing::ElementsAre;

// y = x w^T + b of one row.
std::vector<double> project(const float* x, const nn::Parameter& weight,
                            const nn::Parameter& bias) {
  std::vector<double> out;
  for (int64_t i = 0; i < weight.value.rows(); ++i) {
    const Tensor row = weight.value.row_range(i, i + 1);
    double sum = bias.is_present() ? double{bias.value.data<float>()[i]} : 0;
    for (int64_t j = 0; j < weight.value.cols(); ++j) sum += double{x[j]} * row.data<float>()[j];
    out.push_back(sum);
  }
  return out;
}

// softmax(q k^T scale) of one head of a decoder's only layer, for the state [1, D] that it asks by.
std::vector<double> weights_by_hand(const models::Seq2Seq& model, const Tensor& state,
                                    const Tensor& memory, int64_t head) {
  const nn::MultiHeadAttention& attention =
      *std::get<nn::Stack>(model.decoder.layers.kind).layers[0].encoder_attn;
  const auto size = static_cast<size_t>(attention.config.key_size);
  const size_t at = static_cast<size_t>(head) * size;
  const std::vector<double> q = project(state.data<float>(), attention.q_weight, attention.q_bias);
  std::vector<double> out;
  double sum = 0;
  for (int64_t s = 0; s < memory.rows(); ++s) {
    const std::vector<double> k =
        project(memory.row_range(s, s + 1).data<float>(), attention.k_weight, attention.k_bias);
    double score = 0;
    for (size_t i = at; i < at + size; ++i) score += q[i] * k[i];
    out.push_back(std::exp(score * attention.config.scale));
    sum += out.back();
  }
  for (double& w : out) w /= sum;
  return out;
}

// What the cross-attention of a post-norm decoder's only layer is asked by, [N, D].
Tensor states_before(const models::Seq2Seq& model, const std::vector<int32_t>& inputs) {
  nn::Context context;
  const std::vector<int32_t> offsets{0, static_cast<int32_t>(inputs.size())};
  const auto rows = ops::make_layout({offsets});
  const Tensor x = model.decoder.embedding({ops::make_ids(inputs), rows}, context);
  const nn::Block& layer = std::get<nn::Stack>(model.decoder.layers.kind).layers[0];
  const Tensor attended = layer.self_attn.forward(x, {rows, {}, true}, context);
  Tensor sum = Tensor::empty(x.shape(), x.dtype());
  for (int64_t n = 0; n < x.rows() * x.cols(); ++n) {
    sum.data<float>()[n] = x.data<float>()[n] + attended.data<float>()[n];
  }
  return layer.self_residual.norm(sum, context);
}

std::vector<double> mean_by_hand(const models::Seq2Seq& model, const Tensor& state,
                                 const Tensor& memory, std::span<const AttentionHead> heads) {
  std::vector<double> out(static_cast<size_t>(memory.rows()));
  for (const AttentionHead& h : heads) {
    const std::vector<double> weights = weights_by_hand(model, state, memory, h.head);
    for (size_t s = 0; s < out.size(); ++s) {
      out[s] += weights[s] / static_cast<double>(heads.size());
    }
  }
  return out;
}

TEST(Align, GivesTheWeightsOfTheHeadsAskedFor) {
  models::Seq2SeqOptions options = small_options();
  options.decoder.dec_depth = 1;
  const models::Seq2Seq model = small_model(options);
  const data::Tokens sources = random_sentences(2, 6);
  const std::vector<int32_t> tokens = {5, 9, 7};
  const NBest n_best = {Hypothesis{.tokens = tokens}, Hypothesis{.tokens = tokens, .ended = false}};
  const std::vector<NBest> found = {n_best, n_best};
  for (const std::vector<AttentionHead>& heads :
       {std::vector<AttentionHead>{{0, 2}}, std::vector<AttentionHead>{{0, 0}, {0, 3}}}) {
    const auto got = align(model, sources, found, heads, 3);
    const Tensor states = states_before(model, {kBegin, 5, 9, 7});
    for (size_t s = 0; s < found.size(); ++s) {
      nn::Context context;
      data::Tokens source;
      source.add(sources[static_cast<int64_t>(s)]);
      const Tensor memory = model.encode(source, context).states;
      std::vector<float> expected;
      for (int64_t t = 0; t < 4; ++t) {
        for (const double w : mean_by_hand(model, states.row_range(t, t + 1), memory, heads)) {
          expected.push_back(static_cast<float>(w));
        }
      }
      const auto near = testing::FloatNear(1e-5f);
      EXPECT_THAT(got[s][0].weights, testing::Pointwise(near, expected));
      expected.resize(3 * source.ids.size());
      EXPECT_THAT(got[s][1].weights, testing::Pointwise(near, expected));
      EXPECT_EQ(got[s][0].source, std::ssize(source.ids));
      EXPECT_EQ(got[s][0].target, 3);
    }
  }
}

TEST(Align, GivesRowsThatSumToOneWhateverTheBatchAndPrecision) {
  const data::Tokens sources = random_sentences(4, 8);
  for (const ModelCase& c : attending_cases()) {
    const auto& activation = c.options.encoder.transformer.attention.activation;
    if (activation.visit([](const auto& kind) { return kind.kElementwise; })) continue;
    SCOPED_TRACE(c.name);
    const auto heads = alignment_heads("mean", c.options, "--alignment-heads");
    const models::Seq2Seq models[] = {small_model(c.options), packed_model(c.options, DType::kBF16),
                                      packed_model(c.options, DType::kI8)};
    for (const models::Seq2Seq& model : models) {
      const auto found = decode(model, sources, {.beam_size = 2, .n_best = true});
      const auto expected = align(model, sources, found, heads, 100);
      const auto alone = align(model, sources, found, heads, 1);
      for (size_t s = 0; s < found.size(); ++s) {
        ASSERT_EQ(expected[s].size(), found[s].size());
        for (size_t i = 0; i < found[s].size(); ++i) {
          const Alignment& a = expected[s][i];
          EXPECT_THAT(alone[s][i].weights,
                      testing::Pointwise(testing::FloatNear(1e-5f), a.weights));
          for (size_t t = 0; t < a.weights.size(); t += static_cast<size_t>(a.source)) {
            double sum = 0;
            for (int64_t j = 0; j < a.source; ++j) sum += double{a.weights[t + j]};
            EXPECT_NEAR(sum, 1, 1e-5);
          }
        }
      }
    }
  }
}

TEST(AlignmentText, IsThatOfMarian) {
  const Alignment one{3, 2, {0.25f, 0.5f, 0.25f, 0.125f, 0, 0.875f, 0, 0, 1}};
  const Alignment cut_off{2, 1, {0.5f, 0.5f}};
  EXPECT_EQ(hard_text({&one, 1}), "1-0 0-1");
  EXPECT_EQ(soft_text({&cut_off, 1}), "0.500000,0.500000");
  const std::vector<Alignment> both = {one, cut_off};
  EXPECT_EQ(hard_text(both), "1-0 0-1 2-2");
  EXPECT_EQ(soft_text(both),
            "0.250000,0.500000,0.250000,0.000000,0.000000 "
            "0.125000,0.000000,0.875000,0.000000,0.000000 "
            "0.000000,0.000000,1.000000,0.000000,0.000000 "
            "0.000000,0.000000,0.000000,0.500000,0.500000");
  EXPECT_EQ(hard_text({}), "");
  EXPECT_EQ(soft_text({}), "");
}

TEST(AlignmentText, NamesTheFirstOfEqualsButNeverTheEnd) {
  const Alignment equal{3, 1, {0.25f, 0.25f, 0.5f}}, nothing{1, 1, {1.f, 1.f}};
  EXPECT_EQ(hard_text({&equal, 1}), "0-0");
  EXPECT_EQ(hard_text({&nothing, 1}), "");
}

TEST(AlignmentHeads, AreAllOfTheLastLayerOrThoseNamed) {
  models::Seq2SeqOptions model;
  model.decoder.dec_depth = 3;
  model.encoder.transformer.attention.heads = 2;
  EXPECT_THAT(alignment_heads("mean", model, "--alignment-heads"),
              ElementsAre(AttentionHead{2, 0}, AttentionHead{2, 1}));
  EXPECT_THAT(alignment_heads("1.2", model, "--alignment-heads"), ElementsAre(AttentionHead{0, 1}));
  EXPECT_THAT(alignment_heads("3.1,1.2", model, "--alignment-heads"),
              ElementsAre(AttentionHead{2, 0}, AttentionHead{0, 1}));
  for (const char* bad : {"", "1", "0.1", "1.0", "4.1", "1.3", "1.1,", "1.1 1.2", "a.b", "1.1.1"}) {
    EXPECT_THROW(alignment_heads(bad, model, "--alignment-heads"), OptionError) << bad;
  }
}

// Heads keep the numbers that they have before any is pruned.
TEST(AlignmentHeads, AreCountedWithPrunedOnes) {
  models::Seq2SeqOptions model;
  model.decoder.dec_depth = 2;
  model.encoder.transformer.attention.heads = 4;
  test::set(model, "--prune-heads decoder-cross.2.1 decoder-cross.2.3 decoder.2.2 encoder.1.4");
  const auto heads = [&](const char* text) {
    return alignment_heads(text, model, "--alignment-heads");
  };
  EXPECT_THAT(heads("mean"), ElementsAre(AttentionHead{1, 0}, AttentionHead{1, 1}));
  EXPECT_THAT(heads("2.4,1.4"), ElementsAre(AttentionHead{1, 1}, AttentionHead{0, 3}));
  EXPECT_EQ(test::message_of<OptionError>([&] { heads("2.3"); }),
            "--alignment-heads: the head '2.3' is pruned; layer 2 still has 2, 4");
}

TEST(AlignmentHeads, OfARecurrentDecoderAreOneOrNone) {
  models::Seq2SeqOptions model;
  test::set(model, "--type rnn-attention");
  EXPECT_THAT(alignment_heads("mean", model, "--alignment-heads"),
              ElementsAre(AttentionHead{0, 0}));
  EXPECT_THROW(alignment_heads("1.1", model, "--alignment-heads"), OptionError);
  test::set(model, "--type rnn");
  EXPECT_THROW(alignment_heads("mean", model, "--alignment-heads"), OptionError);
}

}  // namespace
}  // namespace weft::decode
