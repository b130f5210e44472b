#include "weft/tasks/translation/objective/guided_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/options.h"
#include "weft/tasks/translation/options.h"

namespace weft::tasks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<float> row(const Tensor& x, int64_t i) {
  const float* begin = x.row_range(i, i + 1).data<float>();
  return {begin, begin + x.cols()};
}

// Sentences of 2 and 1 tokens, and of 1 and 3, without end symbols.
data::Batch batch() {
  data::Batch out;
  out.fields = {data::Tokens(), data::Tokens()};
  out.tokens(0).add(std::vector<int32_t>{5, 6}, 0);
  out.tokens(0).add(std::vector<int32_t>{7}, 0);
  out.tokens(1).add(std::vector<int32_t>{5}, 0);
  out.tokens(1).add(std::vector<int32_t>{7, 8, 9}, 0);
  out.examples = {0, 1};
  return out;
}

TEST(GuidedAttention, DistributesEachTargetTokenOverItsLinks) {
  GuidanceOptions o;
  o.guided_alignment = {"a"};
  o.heads = "6.1,6.2";
  const BatchLinks links = std::make_shared<const std::vector<std::vector<Link>>>(
      std::vector<std::vector<Link>>{{{0, 0}, {1, 0}}, {}});
  const nn::AttentionGuide guide = GuidedAttention(o, {}).guide(batch(), links, 0.5, nullptr);
  EXPECT_FALSE(guide.is_penalty);
  EXPECT_THAT(guide.heads, ElementsAre(nn::AttentionHead{5, 0}, nn::AttentionHead{5, 1}));
  EXPECT_DOUBLE_EQ(guide.weight, 0.5 * 0.1 / 2);
  EXPECT_EQ(guide.aims[0].shape(), (Shape{2, 3}));
  EXPECT_THAT(row(guide.aims[0], 0), ElementsAre(0.5, 0.5, 0));
  EXPECT_THAT(row(guide.aims[0], 1), ElementsAre(0, 0, 0));
  EXPECT_EQ(guide.aims[1].size(), 0);
}

TEST(GuidedAttention, PenalisesDistanceFromTheDiagonal) {
  GuidanceOptions o;
  test::set(o, "--guided-attention diagonal");
  test::set(o, "--guided-attention-width 0.5");
  const nn::AttentionGuide guide = GuidedAttention(o, {}).guide(batch(), nullptr, 1, nullptr);
  EXPECT_TRUE(guide.is_penalty);
  EXPECT_EQ(guide.heads.size(), 8u);
  EXPECT_EQ(guide.aims[1].shape(), (Shape{4, 2}));
  EXPECT_FLOAT_EQ(row(guide.aims[1], 0)[0], 0);
  EXPECT_FLOAT_EQ(row(guide.aims[1], 0)[1], 1 - std::exp(-0.5 * 0.5 / (2 * 0.25)));
  EXPECT_FLOAT_EQ(row(guide.aims[1], 3)[0], 1 - std::exp(-0.75 * 0.75 / (2 * 0.25)));
  EXPECT_FLOAT_EQ(row(guide.aims[1], 2)[1], 0);
}

TEST(GuidedAttention, WeightsEachTargetToken) {
  GuidanceOptions o;
  test::set(o, "--guided-attention diagonal");
  const auto weights =
      std::make_shared<const std::vector<float>>(std::vector<float>{0, 3, 1, 0.5, 1, 2});
  const GuidedAttention guidance(o, {});
  const nn::AttentionGuide plain = guidance.guide(batch(), nullptr, 1, nullptr);
  const nn::AttentionGuide weighed = guidance.guide(batch(), nullptr, 1, weights);
  for (const auto& [sentence, row_of, n] : {std::tuple{0, 0, 0}, {0, 1, 1}, {1, 1, 3}, {1, 3, 5}}) {
    const auto b = static_cast<size_t>(sentence);
    for (int64_t j = 0; j < plain.aims[b].cols(); ++j) {
      const auto index = static_cast<size_t>(j);
      EXPECT_FLOAT_EQ(row(weighed.aims[b], row_of)[index],
                      (*weights)[static_cast<size_t>(n)] * row(plain.aims[b], row_of)[index]);
    }
  }
}

// The error of validating these options.
template <class Change>
std::string guidance_error(Change change) {
  TranslationOptions o;
  o.data.train_sets = {"a", "b"};
  o.data.vocabs = {"v", "w"};
  change(o, o.objective.guidance);
  try {
    o.validate();
  } catch (const OptionError& e) {
    return e.what();
  }
  return "";
}

TEST(GuidedAttention, RefusesContradictingOptions) {
  EXPECT_EQ(guidance_error([](auto&, auto& g) {
              test::set(g, "--guided-attention diagonal"),
                  test::set(g, "--guided-attention-width 0.3");
            }),
            "");
  EXPECT_EQ(guidance_error([](auto&, auto& g) { test::set(g, "--guided-attention none"); }), "");
  EXPECT_THAT(guidance_error([](auto&, auto& g) { g.weight = 1; }),
              HasSubstr("--guided-attention-weight: needs --guided-attention or"));
  EXPECT_THAT(guidance_error([](auto&, auto& g) { g.heads = "1.1"; }),
              HasSubstr("--guided-attention-heads: needs --guided-attention or"));
  EXPECT_THAT(guidance_error([](auto&, auto& g) {
                g.guided_alignment = {"a"}, test::set(g, "--guided-attention-width 0.3");
              }),
              HasSubstr("--guided-attention-width: belongs to --guided-attention diagonal; got it "
                        "with none"));
  EXPECT_THAT(guidance_error([](auto&, auto& g) {
                g.guided_alignment = {"a"}, test::set(g, "--guided-attention diagonal");
              }),
              HasSubstr("--guided-alignment: contradicts --guided-attention"));
  EXPECT_THAT(guidance_error([](auto& o, auto& g) {
                g.guided_alignment = {"a"}, test::set(o.model, "--type rnn");
              }),
              HasSubstr("--guided-alignment: needs attention heads"));
  EXPECT_THAT(guidance_error([](auto& o, auto& g) {
                g.guided_alignment = {"a"}, test::set(o.model, "--attention-activation sparsemax");
              }),
              HasSubstr("probabilities of --attention-activation sparsemax may be 0"));
  EXPECT_THAT(guidance_error([](auto& o, auto& g) {
                g.guided_alignment = {"a"}, o.data.max_length_crop = true;
              }),
              HasSubstr("--guided-alignment: contradicts --max-length-crop"));
  EXPECT_THAT(guidance_error([](auto& o, auto& g) {
                test::set(g, "--guided-attention diagonal"), o.loop.gradient_checkpointing = true;
              }),
              HasSubstr("--gradient-checkpointing: contradicts guided attention"));
}

TEST(GuidedAttention, RefusesMissingHeads) {
  GuidanceOptions o;
  test::set(o, "--guided-attention diagonal");
  o.heads = "7.1";
  EXPECT_THROW(GuidedAttention(o, {}), OptionError);
}

}  // namespace
}  // namespace weft::tasks
