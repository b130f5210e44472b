#include "weft/train/objective/objective.h"

#include <gtest/gtest.h>

#include "weft/data/plain_tokeniser.h"

namespace weft::train {
namespace {

class ObjectiveOfAPass : public testing::Test {
 protected:
  ObjectiveOfAPass() {
    const auto words =
        data::make_plain_tokeniser(data::Vocabulary::from_list("a\nb\nc\nd\ne\n", "v"));
    models::Seq2SeqOptions o;
    o.enc_depth = o.dec_depth = 1;
    o.dim_emb = 8;
    o.heads = 2;
    o.dim_ffn = 8;
    o.dropout = 0.3;
    session_ = infer::new_model(o, {words, words}, 3);
    for (int32_t b = 0; b < 5; ++b) {
      for (data::Ragged* side : {&source_, &target_}) {
        side->add(std::vector<int32_t>(static_cast<size_t>(2 + b), 2 + b % 3), words->end_id());
      }
    }
    batch_.sides = {source_, target_};
    batch_.lines.resize(5);
  }
  double loss(const ObjectiveOptions& options, ops::RowWeights weights = nullptr) const {
    nn::Context context{.training = true, .key = {1, 2}};
    const Portion portion{.batch = batch_, .weight = 0.1, .row_weights = std::move(weights)};
    return Objective(options, session_)(session_.model, portion, context).smoothed;
  }

  infer::Session session_;
  data::Ragged source_, target_;
  data::Batch batch_;
};

TEST_F(ObjectiveOfAPass, OfRDropGrowsWithWhatItsPassesDifferIn) {
  const auto at = [&](double alpha) {
    ObjectiveOptions o;
    o.r_drop = alpha;
    return loss(o);
  };
  const double one = at(1), two = at(2), three = at(3);
  EXPECT_GT(two, one + 0.01);  // other dropout, so the passes are apart
  EXPECT_NEAR(three - two, two - one, 1e-4);
}

TEST_F(ObjectiveOfAPass, CountsEachTargetAsItWeighs) {
  const auto rows = static_cast<size_t>(target_.rows());
  const auto all = [&](float weight) {
    return std::make_shared<const std::vector<float>>(rows, weight);
  };
  const double plain = loss({});
  EXPECT_NEAR(loss({}, all(2)), 2 * plain, 1e-6);
  EXPECT_EQ(loss({}, all(0)), 0);
}

TEST_F(ObjectiveOfAPass, OfDivergenceIsThatOfEntropyLessTheTargets) {
  ObjectiveOptions entropy, divergence;
  divergence.loss = "kl";
  EXPECT_LT(loss(divergence), loss(entropy) - 1);
  entropy.label_smoothing = divergence.label_smoothing = 0;
  EXPECT_EQ(loss(divergence), loss(entropy));
}

}  // namespace
}  // namespace weft::train
