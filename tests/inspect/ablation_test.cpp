#include "weft/inspect/ablation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decode/small_session.h"

namespace weft::inspect {
namespace {

TEST(AttentionsOf, NamesEveryAttention) {
  auto session = decode::small_session(decode::small_options());
  const std::vector<AttentionModule> found = attentions_of(session.model);
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[0].stack, "encoder");
  EXPECT_EQ(found[1].layer, 1);
  EXPECT_EQ(found[3].stack, "decoder");
  EXPECT_EQ(found[3].role, nn::AttentionRole::kCross);
  EXPECT_EQ(found[3].layer, 0);
}

// The loss is a function of the one weight: its sum, which each head's columns have a part in.
TEST(Ablate, SilencesOneHeadAtATime) {
  auto session = decode::small_session(decode::small_options());
  const std::vector<AttentionModule> all = attentions_of(session.model);
  const auto sum_of = [](const Tensor& x) {
    double sum = 0;
    for (int64_t i = 0; i < x.rows(); ++i) {
      const Tensor row = x.row_range(i, i + 1);
      for (const float value : row.span<float>()) sum += value;
    }
    return sum;
  };
  const nn::Parameter& weight = all[1].attention->out_proj.weight;
  const Tensor before = weight.value;
  const Ablation found = ablate({all[1]}, [&] { return sum_of(weight.value); });
  ASSERT_EQ(found.heads.size(), 4u);
  EXPECT_EQ(found.loss, sum_of(before));
  for (const HeadLoss& head : found.heads) {
    const Tensor columns = before.col_range(8 * head.head, 8 * head.head + 8);
    double part = 0;
    for (int64_t i = 0; i < columns.rows(); ++i) part += sum_of(columns.row_range(i, i + 1));
    EXPECT_NEAR(head.loss, found.loss - part, 1e-5);
    EXPECT_EQ(head.stack, "encoder");
    EXPECT_EQ(head.layer, 1);
  }
  EXPECT_EQ(weight.value.bytes(), before.bytes());
  EXPECT_THAT(found.text(), testing::HasSubstr("encoder self"));
}

// Heads keep the numbers that they have before any is pruned.
TEST(Ablate, CountsPrunedHeads) {
  models::Seq2SeqOptions options = decode::small_options();
  options.encoder.transformer.pruning.heads = {"encoder.2.1", "encoder.2.3"};
  auto session = decode::small_session(options);
  const Ablation found = ablate({attentions_of(session.model)[1]}, [] { return 1.0; });
  ASSERT_EQ(found.heads.size(), 2u);
  EXPECT_EQ(found.heads[0].head, 1);
  EXPECT_EQ(found.heads[1].head, 3);
}

}  // namespace
}  // namespace weft::inspect
