#include "weft/tasks/translation/objective/objective.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/support/options.h"
#include "tests/support/scratch.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/ops/fused/distillation_loss.h"

namespace weft::tasks {
namespace {

using testing::HasSubstr;

class ObjectiveOfAPass : public testing::Test {
 protected:
  ObjectiveOfAPass() {
    const auto words =
        data::make_plain_tokeniser(data::Vocabulary::from_list("a\nb\nc\nd\ne\n", "v"));
    models::Seq2SeqOptions o;
    o.encoder.enc_depth = o.decoder.dec_depth = 1;
    o.encoder.dim_emb = 8;
    o.encoder.transformer.attention.heads = 2;
    o.encoder.transformer.feed_forward.inner = 8;
    o.encoder.transformer.dropout = 0.3;
    session_ = model_file::new_translator(o, {words, words}, 3);
    for (int32_t b = 0; b < 5; ++b) {
      for (data::Tokens* field : {&source_, &target_}) {
        field->add(std::vector<int32_t>(static_cast<size_t>(2 + b), 2 + b % 3), words->end_id());
      }
    }
    batch_.fields = {source_, target_};
    batch_.examples.resize(5);
  }
  double loss(const ObjectiveOptions& options, ops::RowWeights weights = nullptr) const {
    nn::Context context{.training = true, .key = {1, 2}};
    const train::MicroBatch part{.batch = batch_, .weight = 0.1};
    return Objective(options, session_)(session_.model, part, {.rows = std::move(weights)}, context)
        .total;
  }

  model_file::TranslatorSession session_;
  data::Tokens source_, target_;
  data::Batch batch_;
};

TEST_F(ObjectiveOfAPass, OfRDropGrowsWithTheDifferenceOfPasses) {
  const auto at = [&](double alpha) {
    ObjectiveOptions o;
    o.get<RDropOptions>().alpha = alpha;
    return loss(o);
  };
  const double one = at(1), two = at(2), three = at(3);
  EXPECT_GT(two, one + 0.01);  // different dropout, so the passes differ
  EXPECT_NEAR(three - two, two - one, 1e-4);
}

TEST_F(ObjectiveOfAPass, WeightsEachTarget) {
  const auto rows = static_cast<size_t>(target_.rows());
  const auto all = [&](float weight) {
    return std::make_shared<const std::vector<float>>(rows, weight);
  };
  const double plain = loss({});
  EXPECT_NEAR(loss({}, all(2)), 2 * plain, 1e-6);
  EXPECT_EQ(loss({}, all(0)), 0);
}

TEST_F(ObjectiveOfAPass, OfKlIsCrossEntropyMinusTargetEntropy) {
  ObjectiveOptions entropy, divergence;
  test::set(divergence, "--loss kl");
  EXPECT_LT(loss(divergence), loss(entropy) - 1);
  entropy.label_smoothing = divergence.label_smoothing = 0;
  EXPECT_EQ(loss(divergence), loss(entropy));
}

TEST_F(ObjectiveOfAPass, WithATeacherIsTheDistillationLoss) {
  models::Seq2SeqOptions wider = session_.model.options;
  wider.encoder.dim_emb = 12;
  model_file::TranslatorSession teacher = model_file::new_translator(wider, session_.tokenisers, 7);
  // One that is sure of itself: else a temperature says little.
  for (float& x : teacher.parameters.span<float>()) x *= 3;
  const test::Scratch folder;
  ObjectiveOptions o;
  o.get<DistillationOptions>().teacher = folder.path("teacher.safetensors");
  o.get<DistillationOptions>().weight = 0.3;
  o.get<DistillationOptions>().temperature = 2;
  model_file::save(o.get<DistillationOptions>().teacher, teacher, teacher.parameters);

  nn::Context dropping{.training = true, .key = {1, 2}}, inference;  // no dropout in the teacher
  const Tensor states = session_.model.states(batch_, dropping);
  const Tensor theirs = teacher.model.states(batch_, inference);
  const auto direct = [&](double share, double temperature) {
    return ops::distillation_loss({states, session_.model.decoder.projection()},
                                  {theirs, teacher.model.decoder.projection()},
                                  ops::make_ids(batch_.target().ids),
                                  {.truth = {.smoothing = o.label_smoothing, .weight = 0.1},
                                   .share = share,
                                   .temperature = temperature},
                                  nullptr)
        .total;
  };
  const double expected = direct(0.3, 2), got = loss(o);
  EXPECT_NEAR(got, expected, 1e-5 * expected);
  // Neither option hides within that tolerance.
  EXPECT_GT(std::abs(direct(0.3, 1) - expected), 1e-3 * expected);
  EXPECT_GT(std::abs(direct(0.5, 2) - expected), 1e-3 * expected);
}

using ObjectiveChange = std::function<void(ObjectiveOptions&)>;

// The error of this objective for a model of this kind of generation.
std::string objective_error(const std::string& generation, const ObjectiveChange& change) {
  models::Seq2SeqOptions model;
  test::set(model, fmt::format("--generation {}", generation));
  ObjectiveOptions o;
  o.label_smoothing = 0;
  change(o);
  try {
    check_objective(o, model);
  } catch (const OptionError& e) {
    return e.what();
  }
  return "";
}

TEST(Objective, IsRefusedForUnsuitableModels) {
  const auto length = [](auto& o) { o.length_weight = 2; };
  for (const char* generation : {"left-to-right", "ctc"}) {
    EXPECT_THAT(objective_error(generation, length),
                HasSubstr("--length-weight: needs a model that predicts lengths: --generation "
                          "mask-predict, or parallel with --length-from classifier"));
  }
  EXPECT_EQ(objective_error("mask-predict", length), "");
  EXPECT_EQ(objective_error("parallel", length), "");
  const auto sampling = [](auto& o) { test::set(o, "--scheduled-sampling linear"); };
  const auto diagonal = [](auto& o) { test::set(o.guidance, "--guided-attention diagonal"); };
  const auto links = [](auto& o) { o.guidance.guided_alignment = {"a"}; };
  for (const std::string generation : {"mask-predict", "parallel", "ctc"}) {
    EXPECT_THAT(objective_error(generation, [](auto& o) { test::set(o, "--teacher t"); }),
                HasSubstr("--teacher: predicts each token from the previous ones; expected "
                          "--generation left-to-right, got " +
                          generation + "; hint: train on the teacher's translations"));
    EXPECT_THAT(objective_error(generation, [](auto& o) { test::set(o, "--r-drop 1"); }),
                HasSubstr("--r-drop: compares two passes token by token"));
    EXPECT_THAT(objective_error(generation, sampling),
                HasSubstr("--scheduled-sampling: needs a decoder that reads the previous tokens; "
                          "expected --generation left-to-right, got " +
                          generation));
    EXPECT_THAT(objective_error(generation, diagonal),
                HasSubstr("--guided-attention: needs a left-to-right decoder; "
                          "expected --generation left-to-right, got " +
                          generation));
    EXPECT_THAT(objective_error(generation, links),
                HasSubstr("--guided-alignment: needs a left-to-right decoder"));
  }
  EXPECT_EQ(objective_error("left-to-right", sampling), "");
  EXPECT_EQ(objective_error("left-to-right", diagonal), "");
  EXPECT_EQ(objective_error("left-to-right", links), "");
}

TEST(Objective, OfCtcIsFixed) {
  const ObjectiveChange other = [](auto& o) { test::set(o, "--loss kl"); };
  const ObjectiveChange smooth = [](auto& o) { o.label_smoothing = 0.1; };
  const ObjectiveChange weights = [](auto& o) { o.data_weighting = {"w"}; };
  EXPECT_THAT(objective_error("ctc", other),
              HasSubstr("--loss: --generation ctc defines its own loss; expected cross-entropy, "
                        "got kl"));
  EXPECT_THAT(objective_error("ctc", smooth),
              HasSubstr("--label-smoothing: --generation ctc has no single target per "
                        "position to smooth; expected 0"));
  EXPECT_THAT(objective_error("ctc", weights),
              HasSubstr("--data-weighting: --generation ctc does not support example "
                        "weights; expected none"));
  EXPECT_EQ(objective_error("ctc", [](auto&) {}), "");
  for (const auto& change : {other, smooth, weights})
    EXPECT_EQ(objective_error("parallel", change), "");
}

}  // namespace
}  // namespace weft::tasks
