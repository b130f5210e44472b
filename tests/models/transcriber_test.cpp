#include "weft/models/transcriber.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/differences.h"
#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"

namespace weft::models {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

constexpr TranscriberDims kSizesOfSmall{.bins = 5, .vocab = 7, .begin_id = 2, .end_id = 0};

TranscriberOptions small_transcriber(const std::string& flags = "--dec-depth 1") {
  TranscriberOptions o;
  const bool is_transformer = flags.find("--type") == flags.npos;
  test::set(o,
            "--enc-depth 1 --dim-emb 8 --subsampling-layers 1 --subsampling-channels 6 "
            "--subsampling-width 3 " +
                flags +
                (is_transformer ? " --transformer-heads 2 --transformer-dim-ffn 12 "
                                  "--transformer-dropout 0"
                                : " --dropout-rnn 0"));
  return o;
}

Transcriber initialised(const TranscriberOptions& options, DType type = DType::kF64) {
  Transcriber model(options, kSizesOfSmall);
  nn::bind(nn::parameters_of(model), type);
  nn::initialise(nn::parameters_of(model), 3);
  return model;
}

// Two sounds of 9 and 6 frames, whose texts have 3 and 2 tokens.
data::Batch batch() {
  data::Features frames;
  frames.width = 5;
  for (int i = 0; i < 75; ++i) frames.values.push_back(static_cast<float>(i * 37 % 101) / 50 - 1);
  frames.segments.append(9);
  frames.segments.append(6);
  data::Tokens tokens;
  tokens.add(std::vector<int32_t>{3, 3, 5}, 0);
  tokens.add(std::vector<int32_t>{4, 6}, 0);
  data::Batch out;
  out.fields = {frames, tokens};
  out.examples = {0, 1};
  return out;
}

double loss_of(const Transcriber& model) {
  nn::Context context;
  return model.loss(batch(), {}, context).nll;
}

class EveryDecoder : public testing::TestWithParam<const char*> {
 protected:
  static LossAndGradient run(const Transcriber& model, const Tensor& parameters) {
    autograd::Tape tape;
    autograd::Gradients gradients(parameters);
    nn::Context context{.tape = &tape};
    const ops::Loss loss = model.loss(batch(), {.smoothing = 0.1, .weight = 0.2}, context);
    EXPECT_NEAR(0.2 * loss.total / loss.value.item(), 1, 1e-5);
    tape.backward(loss.value, gradients);
    return {loss.value.item(), gradients.flat()};
  }
};

TEST_P(EveryDecoder, HasTheGradientThatDifferencesShow) {
  Transcriber model(small_transcriber(GetParam()), kSizesOfSmall);
  const Tensor flat = bind_in_no_special_place(model);
  expect_gradient_of_differences(model, flat, [&] { return run(model, flat); });
}

// An encoder without a decoder has its own constants, and no decoder layers that could share
// weights.
TEST(Transcriber, OfCtcAloneTakesDeepNormAndTiedLayers) {
  TranscriberOptions options =
      small_transcriber("--decoder ctc --residual-scale deepnorm --tied-layers 1 1");
  options.encoder.enc_depth = 2;
  const Transcriber model = initialised(options);
  EXPECT_TRUE(std::isfinite(loss_of(model)));
}

TEST_P(EveryDecoder, EncodesEachSoundAlone) {
  const Transcriber model = initialised(small_transcriber(GetParam()), DType::kF32);
  nn::Context context;
  const data::Batch all = batch();
  const nn::Memory together = model.encode(std::get<data::Features>(all.fields[0]), context);
  EXPECT_THAT(together.rows->segments.offsets, ElementsAre(0, 5, 8));
  for (const int64_t b : {0, 1}) {
    const data::Batch one = data::slice(all, b, b + 1);
    const nn::Memory alone = model.encode(std::get<data::Features>(one.fields[0]), context);
    const Segments& rows = together.rows->segments;
    EXPECT_TRUE(
        test::same_bits(alone.states, together.states.row_range(rows.begin(b), rows.end(b))));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryDecoder,
                         testing::Values("--dec-depth 1", "--decoder ctc",
                                         "--decoder attention --dec-depth 1",
                                         "--decoder ctc --type rnn", "--decoder ctc --type cnn"));

// The same weights, whose CTC layer and decoder are used apart.
TEST(Transcriber, AddsTheLossesByTheirShares) {
  Transcriber joint = initialised(small_transcriber("--dec-depth 2 --ctc-weight 0.25"));
  Transcriber attention = joint, ctc = joint;
  test::set(attention.options, "--decoder attention");
  test::set(ctc.options, "--decoder ctc");
  EXPECT_NEAR(loss_of(joint), 0.75 * loss_of(attention) + 0.25 * loss_of(ctc), 1e-9);
}

TEST(Transcriber, RefusesFramesOfAnotherWidth) {
  const Transcriber model = initialised(small_transcriber());
  data::Features frames;
  frames.width = 4;
  nn::Context context;
  EXPECT_EQ(test::message_of<ShapeError>([&] { model.encode(frames, context); }),
            "encoder: expected frames of 5 numbers, got 4");
}

TEST(TranscriberOptions, ThatContradictEachOtherAreRefused) {
  const auto error_of = [](const std::string& flags) {
    return test::message_of<OptionError>([&] { small_transcriber(flags).check(); });
  };
  EXPECT_EQ(error_of("--type rnn"),
            "--type: rnn has no decoder; expected transformer with --decoder joint, or --decoder "
            "ctc");
  EXPECT_THAT(error_of("--position rotary-2d"),
              StartsWith("--position: rotary-2d encodes the row"));
  EXPECT_THAT(error_of("--subsampling-width 2"),
              StartsWith("--subsampling-width: expected an odd"));
  TranscriberOptions o;
  test::set(o, "--decoder ctc --dec-depth 3");
  EXPECT_THAT(test::message_of<OptionError>([&] { o.check(); }), StartsWith("--dec-depth: "));
}

TEST(TranscriberOptions, TableOfPositionsBoundsFrames) {
  EXPECT_EQ(small_transcriber("--position learned --max-positions 10").frame_capacity(), 20);
  EXPECT_GT(small_transcriber().frame_capacity(), 1'000'000);
}

}  // namespace
}  // namespace weft::models
