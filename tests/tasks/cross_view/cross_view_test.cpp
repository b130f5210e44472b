#include "weft/tasks/cross_view/cross_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/predict/predicted.h"
#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/tensors.h"
#include "tests/tasks/cross_view/small_cross_view.h"
#include "weft/predict/cross_view/view_predictors.h"

namespace weft::tasks {
namespace {

using testing::HasSubstr;

class CrossViewTest : public testing::Test {
 protected:
  std::string refusal(const std::string& flags) const {
    return test::message_of<OptionError>([&] { small_cross_view(folder_, flags).validate(); });
  }
  model_file::CrossViewSession saved() const {
    return model_file::load<model_file::CrossViewSession>(folder_.path("model.safetensors"));
  }
  std::unique_ptr<data::ViewPairs> validation() const {
    return data::read_view_pairs({folder_.path("valid.tsv")},
                                 {.source = {}, .shape = saved().model.dims.image, .patch = 2});
  }

  test::Scratch folder_;
};

TEST_F(CrossViewTest, SecondViewsHelpToCompleteFirstOnes) {
  train_cross_view(small_cross_view(
      folder_, "--mask-ratio 0.75 --dim-emb 32 --after 800u --learn-rate 0.005 --valid-freq 800u"));
  const auto pairs = validation();
  const double own = predict::mean_error(saved(), *pairs, {.mask_ratio = 0.75});
  const double other = predict::mean_error(
      saved(), *pairs, {.mask_ratio = 0.75, .second = predict::SecondView::kOther});
  EXPECT_LT(own, 0.6 * other) << own << " with the own view, " << other << " with another";
}

TEST_F(CrossViewTest, LearnsMotionWithEitherDecoder) {
  for (const char* decoder : {"one-stream", "two-stream"}) {
    train_cross_view(small_cross_view(
        folder_,
        std::string(
            "--objective motion --dim-emb 32 --after 900u --learn-rate 0.003 --valid-freq 900u "
            "--overwrite --decoder ") +
            decoder));
    const auto session = saved();
    const auto pairs = validation();
    const std::vector<predict::PredictedNumbers> found =
        test::predicted(predict::MotionPredictor(session, {}), predict::pairs_of(*pairs));
    for (const auto& pair : found) EXPECT_EQ(pair.predicted.size(), pair.expected.size());
    for (const double error : predict::absolute_errors(found)) EXPECT_LT(error, 0.5) << decoder;
  }
}

TEST_F(CrossViewTest, PredictsThePixelsOfAPatchInItsOwnUnits) {
  train_cross_view(small_cross_view(folder_, "--normalise-patches --mask-ratio 0.5"));
  const auto session = saved();
  const auto pairs = validation();
  const std::vector<predict::DrawnExample> examples{{0, 0}, {1, 1}};
  const models::ViewBatch views = predict::view_batch(
      {.session = session, .pairs = *pairs, .mask_ratio = 0.5}, examples, 0, {});
  const Tensor target = session.model.completion_target(views);
  for (int64_t n = 0; n < target.rows(); ++n) {
    double sum = 0;
    for (const double x : test::values(target.row_range(n, n + 1))) sum += x;
    EXPECT_NEAR(sum, 0, 1e-4);
  }
}

// A completed view is the true one but for masked patches.
TEST_F(CrossViewTest, CompletionsKeepVisiblePatches) {
  train_cross_view(small_cross_view(folder_, "--mask-ratio 0.5"));
  int64_t masked = 0;
  const auto session = saved();
  const auto pairs = validation();
  const std::vector<CompletedView> completions =
      test::predicted(predict::Completer(session, {.mask_ratio = 0.5}), predict::pairs_of(*pairs));
  for (const CompletedView& found : completions) {
    for (size_t i = 0; i < found.first.pixels.size(); ++i) {
      if (found.masked.pixels[i] == 128) {
        ++masked;
      } else {
        EXPECT_EQ(found.masked.pixels[i], found.first.pixels[i]);
        EXPECT_EQ(found.completed.pixels[i], found.first.pixels[i]);
      }
    }
    EXPECT_GT(found.error, 0);
  }
  EXPECT_EQ(completions.size(), 20u);
  EXPECT_NEAR(static_cast<double>(masked), 20 * 32, 40);
}

TEST_F(CrossViewTest, MotionStartsFromACompletion) {
  train_cross_view(small_cross_view(folder_, ""));
  const auto first = saved();
  std::filesystem::rename(folder_.path("model.safetensors"), folder_.path("first.safetensors"));
  for (const char* decoder : {"one-stream", "two-stream"}) {
    auto options = small_cross_view(
        folder_,
        std::string("--objective motion --overwrite --after 1u --learn-rate 0 --decoder ") +
            decoder);
    options.pretrained.model = folder_.path("first.safetensors");
    EXPECT_THAT(test::message_of<OptionError>([&] { train_cross_view(options); }),
                HasSubstr("; 3 superfluous: completion.head.bias"))
        << decoder;
    options.pretrained.parts = {"model.*"};
    train_cross_view(options);
    auto from = first, to = saved();
    std::map<std::string, Tensor> theirs;
    for (const auto& [name, p] : nn::parameters_of(from.model)) theirs[name] = p->value;
    for (const auto& [name, p] : nn::parameters_of(to.model)) {
      if (!name.starts_with("model.")) continue;
      const std::string second = "model.second_decoder.";
      const std::string source =
          name.starts_with(second) ? "model.decoder." + name.substr(second.size()) : name;
      ASSERT_TRUE(theirs.contains(source)) << name;
      EXPECT_EQ(test::distance(p->value, theirs[source]), 0) << name;
    }
  }
}

TEST_F(CrossViewTest, RefusesOptionsThatContradictEachOther) {
  EXPECT_THAT(refusal("--position learned"), HasSubstr("--position: learned counts rows"));
  EXPECT_THAT(refusal("--attention local"), HasSubstr("--attention: local is not implemented"));
  EXPECT_THAT(refusal("--type rnn --position none"), HasSubstr("--type: rnn is not implemented"));
  EXPECT_THAT(refusal("--second-view none --decoder two-stream"), HasSubstr("--second-view: none"));
  EXPECT_THAT(refusal("--second-view none --objective motion"), HasSubstr("--second-view: none"));
  EXPECT_THAT(refusal("--objective motion --mask-ratio 0.5"),
              HasSubstr("--mask-ratio: belongs to --objective completion"));
  EXPECT_THAT(refusal("--crop-shift 0.1"), HasSubstr("--crop-shift: belongs to --views crops"));
  EXPECT_THAT(refusal("--dim-dec 18"), HasSubstr("a multiple of 4 as the size"));
  auto options = small_cross_view(folder_, "--views crops");
  options.model.image_size.clear();
  EXPECT_THAT(test::message_of<OptionError>([&] { options.validate(); }),
              HasSubstr("--image-size: --views crops needs the size of a crop"));
  EXPECT_THAT(test::message_of<OptionError>(
                  [&] { train_cross_view(small_cross_view(folder_, "--patch-size 3")); }),
              HasSubstr("--patch-size: 3 does not divide views of 8 by 8"));
}

TEST_F(CrossViewTest, RefusesPairsWithOtherNumbers) {
  auto options = small_cross_view(folder_, "--objective motion");
  folder_.file("valid.tsv", "views/0_0_0.png\tviews/0_0_0.png\t1\n");
  EXPECT_THAT(test::message_of<FormatError>([&] { train_cross_view(options); }),
              HasSubstr("1 numbers of a pair; expected 2"));
  folder_.file("train.tsv", "views/0_0_0.png\tviews/0_0_0.png\n");
  EXPECT_THAT(test::message_of<OptionError>([&] { train_cross_view(options); }),
              HasSubstr("--objective: motion predicts the numbers of pairs, which have none"));
}

}  // namespace
}  // namespace weft::tasks
