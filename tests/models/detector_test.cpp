#include "weft/models/detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/differences.h"
#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "weft/core/error.h"
#include "weft/data/images/pixels.h"
#include "weft/models/parts.h"

namespace weft::models {
namespace {

using testing::HasSubstr;

constexpr data::ImageShape kPicture{.height = 8, .width = 12, .channels = 1};
constexpr int64_t kLabelCount = 3;

DetectorOptions small_detector(const std::string& flags = "") {
  DetectorOptions o;
  test::set(o,
            "--patch-embedding linear --patch-size 4 --enc-depth 1 --dec-depth 2 --dim-emb 8 "
            "--transformer-heads 2 "
            "--transformer-dim-ffn 16 --query-count 4 --transformer-dropout 0 " +
                flags);
  return o;
}

Detector made(const std::string& flags) {
  return {small_detector(flags), {.image = kPicture, .labels = kLabelCount}};
}

// Patches of `count` pictures, with 0, 1, 2, ... boxes.
data::Batch pictures(int count, int64_t square = 4) {
  data::Features pixels, boxes;
  data::Labels labels;
  pixels.width = kPicture.size();
  boxes.width = 4;
  RandomStream random(5, 0);
  for (int b = 0; b < count; ++b) {
    for (int64_t i = 0; i < pixels.width; ++i) {
      pixels.values.push_back(static_cast<float>(random.below(256)));
    }
    pixels.segments.append(1);
    std::vector<int32_t> ids;
    for (int i = 0; i < b % 4; ++i) {
      ids.push_back(static_cast<int32_t>(random.below(kLabelCount)));
      for (const double side : {0.3, 0.4, 0.2, 0.3}) {
        boxes.values.push_back(static_cast<float>(side + 0.4 * random.uniform()));
      }
    }
    labels.add(ids);
    boxes.segments.append(std::ssize(ids));
  }
  data::Batch out;
  for (int b = 0; b < count; ++b) out.examples.push_back(b);
  out.fields = {
      data::patches_of(pixels, {.shape = kPicture, .patch = square, .statistics = {{0.5}, {0.3}}}),
      labels, boxes};
  return out;
}

class EveryQueryKind : public testing::TestWithParam<const char*> {
 protected:
  EveryQueryKind() : model_(made(GetParam())), flat_(bind_in_no_special_place(model_)) {}
  int64_t square() const { return model_.options.image.vector_side(); }
  LossAndGradient run(const data::Batch& batch) const {
    autograd::Tape tape;
    const ops::Loss loss = model_.loss(batch, {}, 0.1, {.tape = &tape});
    const double value = loss.value.item();
    autograd::Gradients gradients(flat_);
    tape.backward(loss.value, gradients);
    return {value, gradients.flat()};
  }

  Detector model_;
  Tensor flat_;
};

TEST_P(EveryQueryKind, HasTheGradientOfDifferences) {
  expect_gradient_of_differences(model_, flat_, [&] { return run(pictures(4, square())); });
}

TEST_P(EveryQueryKind, ReadsEveryLayerOfTheDecoder) {
  const data::Batch batch = pictures(3, square());
  const auto& patches = std::get<data::Features>(batch.fields[0]);
  const std::vector<BoxPredictions> all = model_.hidden_states(patches, {});
  const bool has_patches = model_.options.queries.is<EncoderQueries>();
  ASSERT_EQ(all.size(), has_patches ? 3u : 2u);
  for (size_t i = has_patches ? 1 : 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].logits.shape(), (Shape{12, kLabelCount + 1}));
    EXPECT_EQ(all[i].boxes.shape(), (Shape{12, 4}));
    EXPECT_EQ(all[i].rows->sequences(), 3);
  }
  if (has_patches) {
    EXPECT_EQ(all.front().boxes.shape(), (Shape{18, 4}));
  }
  const BoxPredictions last = model_(patches, {});
  EXPECT_TRUE(test::same_bits(last.logits, all.back().logits));
  EXPECT_TRUE(test::same_bits(last.boxes, all.back().boxes));
  for (const double side : test::values(last.boxes)) {
    EXPECT_GT(side, 0);
    EXPECT_LT(side, 1);
  }
}

TEST_P(EveryQueryKind, FindsTheSameInAPictureOfAnyBatch) {
  nn::bind(nn::parameters_of(model_));
  nn::initialise(nn::parameters_of(model_), 3);
  const data::Batch batch = pictures(5, square());
  const BoxPredictions all = model_(std::get<data::Features>(batch.fields[0]), {});
  for (int64_t b = 0; b < 5; ++b) {
    const data::Batch one = data::slice(batch, b, b + 1);
    const BoxPredictions alone = model_(std::get<data::Features>(one.fields[0]), {});
    const int64_t begin = all.rows->segments.begin(b), end = all.rows->segments.end(b);
    EXPECT_TRUE(test::same_bits(alone.logits, all.logits.row_range(begin, end).clone()));
    EXPECT_TRUE(test::same_bits(alone.boxes, all.boxes.row_range(begin, end).clone()));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryQueryKind,
                         testing::Values("--queries encoder", "--patch-embedding convolutions",
                                         "--queries learned",
                                         "--queries encoder --position rotary-2d",
                                         "--queries learned --position learned "
                                         "--transformer-norm post"));

TEST(Detector, HasTheDeepNormOfAnEncoderWithADecoder) {
  const Detector model = made("--enc-depth 3 --transformer-norm post --residual-scale deepnorm");
  const auto& stack = std::get<nn::Stack>(model.encoder.encoder.kind);
  EXPECT_EQ(stack.layers.front().self_residual.scale, encoder_deepnorm(3, 2).scale);
  EXPECT_NEAR(encoder_deepnorm(3, 2).scale, 0.81 * std::pow(81 * 2, 1.0 / 16), 1e-12);
}

TEST(Detector, HasNoMoreQueriesThanPatches) {
  Detector model = made("--query-count 50");
  nn::bind(nn::parameters_of(model));
  nn::initialise(nn::parameters_of(model), 3);
  const data::Batch batch = pictures(2);
  EXPECT_EQ(model(std::get<data::Features>(batch.fields[0]), {}).boxes.rows(), 12);
}

TEST(Detector, RefusesOptionsThatContradict) {
  const struct {
    const char* flags;
    const char* message;
  } cases[] = {
      {"--patch-size 5", "--patch-size: 5 does not divide pictures of 8 by 12"},
      {"--position learned --max-positions 5", "--max-positions: expected 6 or more"},
      {"--norm-kind batch", "--norm-kind: "},
      {"--attention local --attention-window 2", "--attention: expected full, got local"},
      {"--transformer-heads 3", "--transformer-heads: 3 heads do not divide"},
      {"--patch-embedding convolutions --patch-size 6",
       "--patch-size: expected 4, 8, 16, ... with --patch-embedding"},
      {"--patch-embedding convolutions --patch-size 8 --dim-emb 10 --transformer-heads 1 "
       "--position none",
       "--dim-emb: expected a multiple of 4"},
      {"--image-size 1 2 3", "--image-size: expected a height and a width, got 3 numbers"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(test::message_of<OptionError>([&] { made(c.flags); }), HasSubstr(c.message));
  }
}

}  // namespace
}  // namespace weft::models
