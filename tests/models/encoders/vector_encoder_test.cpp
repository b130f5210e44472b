// Classifiers of pictures, against Transformers' ViTForImageClassification. The numbers are written
// by tools/golden/vit.py.
#include "weft/models/encoders/vector_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/options.h"
#include "tests/support/paths.h"
#include "tests/support/tensors.h"
#include "weft/data/images/pixels.h"
#include "weft/formats/safetensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/models/classifier.h"

namespace weft::models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr data::ImageShape kShape{.height = 4, .width = 6, .channels = 3};

ClassifierOptions vit_options(const std::string& flags = "") {
  ClassifierOptions o;
  test::set(o,
            "--input image --patch-size 2 --enc-depth 2 --dim-emb 16 --transformer-heads 2 "
            "--transformer-dim-ffn 32 --transformer-ffn-activation gelu --transformer-norm pre "
            "--norm-epsilon 1e-12 --position learned --pooling first "
            "--transformer-dropout 0 --classifier-dropout 0 " +
                flags);
  return o;
}

// Numbers from -2 to 2 as pictures of kShape.
data::Features random_pictures(int count) {
  data::Features out;
  out.width = kShape.size();
  for (int64_t i = 0; i < count * out.width; ++i) {
    out.values.push_back(static_cast<float>(i * 37 % 101) / 25 - 2);
  }
  for (int i = 0; i < count; ++i) out.segments.append(1);
  return out;
}

// Without a change of their numbers.
data::Features patches(const data::Features& pictures) {
  return data::patches_of(
      pictures, {.shape = kShape,
                 .patch = 2,
                 .statistics = {std::vector<double>(3, 0), std::vector<double>(3, 1.0 / 255)}});
}

TEST(VisionTransformer, GivesTheLogitsAndGradientsOfTransformers) {
  const formats::SafetensorsFile file(test::source_path("tests/golden/vit.safetensors"));
  const auto golden = [&](const std::string& name) { return file.tensor(name).to(DType::kF64); };
  const auto labels = file.tensor("labels").span<int32_t>();
  ClassifierOptions options = vit_options();
  options.encoder.position.max_positions = 7;
  Classifier model(options, {.image = kShape, .labels = 5});
  const auto named = nn::parameters_of(model);
  const Tensor flat = nn::bind(named, DType::kF64);
  for (const auto& [name, p] : named) {
    ASSERT_EQ(p->shape, golden(name).shape()) << name;
    backend_of(flat)(kernels::Copy{.x = golden(name), .y = p->value});
  }
  data::Features pixels;
  pixels.width = kShape.size();
  const auto values = file.tensor("pixels").span<float>();
  pixels.values.assign(values.begin(), values.end());
  data::Labels expected;
  for (const int32_t& label : labels) {
    pixels.segments.append(1);
    expected.add(std::span(&label, 1));
  }
  data::Batch batch;
  batch.fields = {patches(pixels), expected};
  autograd::Tape tape;
  nn::Context context{.tape = &tape};
  EXPECT_LT(test::distance(model.logits(batch.fields[0], context), golden("logits")), 1e-5);
  const ops::Loss loss =
      model.loss(batch, {.weight = 1 / static_cast<double>(labels.size())}, context);
  EXPECT_LT(test::distance(loss.value, golden("loss")), 1e-5);
  autograd::Gradients gradients(flat);
  tape.backward(loss.value, gradients);
  for (const auto& [name, p] : named) {
    EXPECT_LT(test::distance(gradients.of(p->value), golden("grad." + name)), 1e-5) << name;
  }
}

// Pictures of 8 by 4 pixels whose convolutions leave 2 by 1 patches.
TEST(ConvolutionalPatches, SeeAllPixelsAndOneOfAnotherPictureNever) {
  constexpr data::ImageShape kTall{.height = 8, .width = 4, .channels = 3};
  const auto logits = [&](const Classifier& model, const data::Features& all) {
    nn::Context context;
    return model.logits(data::patches_of(all, {.shape = kTall,
                                               .patch = nn::ConvolutionStem::kSquare,
                                               .statistics = {std::vector<double>(3, 0),
                                                              std::vector<double>(3, 1.0 / 255)}}),
                        context);
  };
  ClassifierOptions options = vit_options("--patch-embedding convolutions");
  options.input.get<ImageInput>().patch_size = 4;
  Classifier model(options, {.image = kTall, .labels = 5});
  nn::bind(nn::parameters_of(model));
  nn::initialise(nn::parameters_of(model), 3);
  data::Features two = random_pictures(8);
  two.width = kTall.size();
  two.values.resize(static_cast<size_t>(2 * two.width));
  two.segments = Segments::uniform(2, 1);
  const Tensor before = logits(model, two);
  for (int64_t i = 0; i < two.width; i += 7) {
    data::Features changed = two;
    changed.values[static_cast<size_t>(i)] += 1;
    const Tensor after = logits(model, changed);
    EXPECT_GT(test::distance(after.row_range(0, 1), before.row_range(0, 1)), 1e-5) << i;
    EXPECT_TRUE(test::same_bits(after.row_range(1, 2), before.row_range(1, 2))) << i;
  }
}

TEST(ConvolutionalPatches, RefuseAPatchThatIsNoPowerOfTwo) {
  ClassifierOptions o = vit_options("--patch-embedding convolutions");
  for (const int64_t size : {1, 2, 6}) {
    o.input.get<ImageInput>().patch_size = size;
    EXPECT_THAT([&] { o.check(); },
                ThrowsMessage<OptionError>(
                    HasSubstr("--patch-size: expected 4, 8, 16, ... with --patch-embedding")));
  }
}

struct PositionCase {
  const char* flags;
  bool sees_places;
};

// The logits of pictures whose patches are exchanged.
TEST(VisionTransformer, SeesThePlacesOfPatchesUnlessThereAreNoPositions) {
  for (const auto& [flags, sees_places] :
       {PositionCase{"--position none", false},
        PositionCase{"--position none --pooling mean", false},
        PositionCase{"--position learned", true}, PositionCase{"--position sinusoidal-2d", true},
        PositionCase{"--position rotary-2d --transformer-dim-key 8", true},
        PositionCase{"--position rotary-2d --pooling mean --transformer-dim-key 8", true}}) {
    SCOPED_TRACE(flags);
    Classifier model(vit_options(flags), {.image = kShape, .labels = 5});
    nn::bind(nn::parameters_of(model));
    nn::initialise(nn::parameters_of(model), 3);
    const data::Features all = patches(random_pictures(1));
    data::Features exchanged = all;
    const int64_t n = all.width;
    std::swap_ranges(exchanged.values.begin(), exchanged.values.begin() + n,
                     exchanged.values.begin() + 4 * n);  // row 0, column 0; row 1, column 1
    nn::Context context;
    const double change =
        test::distance(model.logits(all, context), model.logits(exchanged, context));
    EXPECT_EQ(change > 1e-3, sees_places) << change;
  }
}

// In one layer a patch sees those around it in both directions, and a class token sees all.
TEST(VisionTransformer, SeesThePatchesAroundWithLocalAttention) {
  constexpr data::ImageShape kSquare{.height = 8, .width = 8, .channels = 1};
  constexpr int64_t kSide = 4, kCount = kSide * kSide;
  for (const std::string pooling : {"mean", "first"}) {
    SCOPED_TRACE(pooling);
    Classifier model(
        vit_options("--attention local --attention-window 1 --enc-depth 1 --pooling " + pooling),
        {.image = kSquare, .labels = 5});
    nn::bind(nn::parameters_of(model));
    nn::initialise(nn::parameters_of(model), 3);
    const auto states = [&](int64_t changed) {
      data::Features two = random_pictures(2);
      two.width = kSquare.size();
      two.values.resize(static_cast<size_t>(2 * two.width));
      two.segments = Segments::uniform(2, 1);
      data::Features all =
          data::patches_of(two, {.shape = kSquare, .patch = 2, .statistics = {{0}, {1.0 / 255}}});
      if (changed >= 0) all.values[static_cast<size_t>((kCount + changed) * all.width)] += 3;
      nn::Context context;
      return std::get<VectorEncoder>(model.encoder)(all, context).states;  // [2 * kCount, D]
    };
    const int64_t tokens = pooling == "first" ? 1 : 0;
    const int64_t second = kCount + 2 * tokens;  // row of its first patch
    const Tensor before = states(-1);
    for (int64_t p = 0; p < kCount; ++p) {
      const Tensor after = states(p);
      for (int64_t q = 0; q < kCount; ++q) {
        const int64_t row = second + q;
        const bool is_near =
            std::abs(p / kSide - q / kSide) <= 1 && std::abs(p % kSide - q % kSide) <= 1;
        EXPECT_EQ(!test::same_bits(after.row_range(row, row + 1), before.row_range(row, row + 1)),
                  is_near)
            << p << " " << q;
      }
      if (tokens == 0) continue;
      EXPECT_FALSE(test::same_bits(after.row_range(second - 1, second),
                                   before.row_range(second - 1, second)));
    }
  }
}

TEST(VisionTransformer, GivesAPictureTheSameBitsInAnyBatch) {
  for (const char* const flags : {"", "--position rotary-2d --transformer-dim-key 8",
                                  "--pooling mean --position sinusoidal-2d", "--type cnn"}) {
    SCOPED_TRACE(flags);
    ClassifierOptions o = vit_options();
    if (std::string_view(flags) == "--type cnn") {
      o = ClassifierOptions();
      test::set(o, "--input image --patch-size 2 --enc-depth 1 --dim-emb 16 --type cnn");
    } else {
      test::set(o, flags);
    }
    Classifier model(o, {.image = kShape, .labels = 5});
    nn::bind(nn::parameters_of(model));
    nn::initialise(nn::parameters_of(model), 3);
    nn::Context context;
    const Tensor together = model.logits(patches(random_pictures(3)), context);
    data::Features last = random_pictures(3);
    last.values.erase(last.values.begin(), last.values.begin() + 2 * last.width);
    last.segments = Segments::uniform(1, 1);
    EXPECT_TRUE(test::same_bits(together.row_range(2, 3), model.logits(patches(last), context)));
  }
}

TEST(VisionTransformer, NamesItsParameters) {
  ClassifierOptions o;
  test::set(o,
            "--input image --patch-size 4 --enc-depth 1 --type cnn --pooling first --position "
            "sinusoidal-2d");
  Classifier model(o, {.image = {.height = 4, .width = 4, .channels = 1}, .labels = 2});
  std::vector<std::string> names;
  for (const auto& [name, p] : nn::parameters_of(model)) names.push_back(name);
  EXPECT_THAT(names,
              ElementsAre("model.encoder.embed_vectors.weight", "model.encoder.embed_vectors.bias",
                          "model.encoder.class_token", "model.encoder.layers.0.weight",
                          "model.encoder.layers.0.bias", "classifier.weight", "classifier.bias"));
}

struct InvalidCase {
  const char* flags;
  const char* message;
};

TEST(VisionTransformer, ReportsWhatContradictsItself) {
  for (const auto& [flags, message] :
       {InvalidCase{"--patch-size 4", "--patch-size: 4 does not divide pictures of 4 by 6"},
        InvalidCase{"--max-positions 6", "--max-positions: expected 7 or more"},
        InvalidCase{"--labels sequence", "--labels: sequence is of --input text"},
        InvalidCase{"--position rotary-2d --transformer-dim-key 6", "a multiple of 4 as the size"},
        InvalidCase{"--position sinusoidal-2d --dim-emb 18", "a multiple of 4, got 18"},
        InvalidCase{"--word-dropout 0.1", "--word-dropout: belongs to --input text"}}) {
    SCOPED_TRACE(flags);
    ClassifierOptions o = vit_options();
    if (std::string_view(flags) == "--labels sequence") {
      o = ClassifierOptions();
      test::set(o, "--input image");
    }
    test::set(o, flags);
    EXPECT_THAT([&] { Classifier(o, {.image = kShape, .labels = 5}); },
                ThrowsMessage<OptionError>(HasSubstr(message)));
  }
  Classifier model(vit_options(), {.image = kShape, .labels = 5});
  nn::bind(nn::parameters_of(model));
  nn::Context context;
  data::Features narrow = patches(random_pictures(1));
  narrow.width = 4;
  EXPECT_THROW(model.logits(narrow, context), ShapeError);
}

TEST(TextEncoder, RefusesPositionsInAGrid) {
  ClassifierOptions o;
  test::set(o, "--position sinusoidal-2d");
  EXPECT_THAT([&] { o.check(); }, ThrowsMessage<OptionError>(HasSubstr("expected sinusoidal")));
}

}  // namespace
}  // namespace weft::models
