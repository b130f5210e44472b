// What is shown of models of pictures, vectors, sounds and pairs of views.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/inspect/example.h"
#include "tests/predict/predicted.h"
#include "tests/support/options.h"
#include "tests/support/scratch.h"
#include "tests/support/sounds.h"
#include "weft/core/error.h"
#include "weft/data/images/image_file.h"
#include "weft/data/images/png.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/inspect/kinds/classifier.h"
#include "weft/inspect/kinds/cross_view.h"
#include "weft/inspect/kinds/detector.h"
#include "weft/inspect/kinds/transcriber.h"
#include "weft/predict/classification/classifier.h"
#include "weft/predict/detection/detector.h"
#include "weft/predict/transcription/transcriber.h"

namespace weft::inspect {
namespace {

using testing::ElementsAre;

class InspectVectors : public testing::Test {
 protected:
  // The path of a picture with a bright square.
  std::string picture(const std::string& name, int64_t height, int64_t width,
                      int64_t channels = 1) const {
    data::Image image{.height = height, .width = width, .channels = channels, .pixels = {}};
    image.pixels.assign(static_cast<size_t>(height * width * channels), 10);
    for (size_t i = image.pixels.size() / 2; i < image.pixels.size(); ++i) image.pixels[i] = 200;
    return scratch_.file(name, data::encode_png(image));
  }
  // Every map has the sizes of its axes, and every row of it sums to one.
  static void expect_sound(const Example& example) {
    ASSERT_FALSE(example.attentions.empty());
    for (const AttentionMaps& maps : example.attentions) {
      for (const Tensor& head : maps.heads) {
        ASSERT_EQ(head.rows(), example.axes[maps.queries].size()) << maps.stack;
        ASSERT_EQ(head.cols(), example.axes[maps.keys].size()) << maps.stack;
        for (int64_t i = 0; i < head.rows(); ++i) {
          const auto row = head.row_range(i, i + 1).span<float>();
          EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5);
        }
      }
    }
  }
  template <class Kind>
  static const Kind& axis(const Example& example, size_t index) {
    return std::get<Kind>(example.axes[index].kind);
  }

  test::Scratch scratch_;
};

TEST_F(InspectVectors, PicturesHavePatchesAfterAClassToken) {
  models::ClassifierOptions o;
  test::set(o, "--input image --patch-size 2 --dim-emb 16 --pooling first");
  const auto session =
      model_file::new_classifier(o,
                                 {.text = {.labels = {data::LabelSet({"x", "y"}, "labels")}},
                                  .image = {.height = 4, .width = 6, .channels = 3},
                                  .statistics = {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.25}}},
                                 7);
  const std::string path = picture("a.png", 8, 9, 3);
  const Example example = inspect(session, path, {});
  expect_sound(example);
  const auto& patches = axis<PatchAxis>(example, 0);
  EXPECT_THAT(patches.patches, ElementsAre(-1, 0, 1, 2, 3, 4, 5));
  EXPECT_EQ(patches.columns, 3);
  const std::span bytes(reinterpret_cast<const uint8_t*>(patches.png.data()), patches.png.size());
  EXPECT_EQ(data::decode_png(bytes, "shown").width, 6);  // as the model sees it
  const predict::Classifier lines({&session, 1}, {});
  const std::vector<float> expected =
      test::predicted(lines, test::lines_of({path})).front().probabilities;
  ASSERT_EQ(example.labels.size(), 2u);
  for (const LabelProbability& label : example.labels) {
    EXPECT_NEAR(label.probability, expected[session.labels().find(label.label)], 1e-6);
  }
}

TEST_F(InspectVectors, SequencesHaveAVectorARow) {
  models::ClassifierOptions o;
  test::set(o, "--input features --dim-emb 16 --position learned --max-positions 2");
  const auto session =
      model_file::new_classifier(o,
                                 {.text = {.labels = {data::LabelSet({"x", "y"}, "labels")}},
                                  .channels = 2,
                                  .statistics = {{0, 0}, {1, 1}}},
                                 7);
  const Example example = inspect(session, scratch_.file("a.csv", "1,2\n3,4\n5,6\n"), {});
  expect_sound(example);
  EXPECT_THAT(tokens_of_axis(example, 0), ElementsAre("vector 1", "vector 2"));
  EXPECT_EQ(example.note, "cropped to 2 vectors");
}

TEST_F(InspectVectors, DetectorsHaveTheBoxesOfDetect) {
  models::DetectorOptions o;
  test::set(o,
            "--patch-size 4 --enc-depth 1 --dec-depth 2 --dim-emb 16 --transformer-heads 2 "
            "--transformer-dim-ffn 16 --query-count 3");
  const auto session =
      model_file::new_detector(o,
                               {.labels = data::LabelSet({"cup", "spoon"}, "labels"),
                                .image = {.height = 8, .width = 12, .channels = 1},
                                .statistics = {{0.25}, {0.5}}},
                               3);
  const std::string path = picture("a.png", 8, 12);
  const Example example = inspect(session, path, {});
  expect_sound(example);
  const predict::Detector detector(session, {.threshold = 0});
  const auto objects = test::predicted(detector, test::lines_of({path})).front().objects;
  for (const FoundBox& found : axis<BoxAxis>(example, 1).boxes) {
    const auto same = std::ranges::find_if(objects, [&](const metrics::DetectedBox& object) {
      return std::abs(object.score - found.probability) < 1e-6 &&
             session.labels.name(object.label) == found.label &&
             std::abs(object.box.x - 12 * found.box.x) < 1e-4;
    });
    EXPECT_NE(same, objects.end());
  }
}

class InspectViews : public InspectVectors, public testing::WithParamInterface<const char*> {};

TEST_P(InspectViews, OneViewLooksAtTheOther) {
  models::CrossViewOptions o;
  test::set(o, std::string("--patch-size 2 --enc-depth 1 --dec-depth 1 --dim-emb 16 "
                           "--transformer-heads 2 --transformer-dim-ffn 8 ") +
                   GetParam());
  const bool is_completion = o.is_completion();
  const auto session = model_file::new_cross_view(
      o,
      {.dims = {.image = {.height = 4, .width = 6, .channels = 1},
                .numbers = is_completion ? 0 : 2},
       .pixels = {.mean = {0.5}, .deviation = {0.25}},
       .numbers = {.mean = is_completion ? std::vector<double>() : std::vector<double>{1, 2},
                   .deviation = is_completion ? std::vector<double>() : std::vector<double>{3, 4}}},
      7);
  const std::string line = picture("a.png", 4, 6) + "\t" + picture("b.png", 4, 6);
  const Example example = inspect(session, line, {});
  expect_sound(example);
  EXPECT_EQ(axis<PatchAxis>(example, 0).patches.size(), is_completion ? 3u : 6u);
  EXPECT_EQ(axis<PatchAxis>(example, 1).patches.size(), 6u);
  EXPECT_EQ(example.pictures.size(), is_completion ? 4u : 0u);
  EXPECT_EQ(example.note.starts_with("predicted motion:"), !is_completion);
}

INSTANTIATE_TEST_SUITE_P(Models, InspectViews,
                         testing::Values("--mask-ratio 0.5",
                                         "--mask-ratio 0.5 --decoder two-stream",
                                         "--objective motion --decoder two-stream"));

class InspectSounds : public InspectVectors, public testing::WithParamInterface<const char*> {};

TEST_P(InspectSounds, HaveTheTextOfTranscribe) {
  models::TranscriberOptions o;
  test::set(o, std::string("--enc-depth 1 --dim-emb 16 ") + GetParam());
  const auto session = model_file::new_transcriber(
      o,
      {.tokeniser = data::make_plain_tokeniser(data::Vocabulary({"a", " "}, "characters")),
       .log_mel = {.sample_rate = 8000, .mel_bins = 3, .frame_length = 20, .frame_shift = 8},
       .statistics = {{1, 2, 3}, {4, 5, 6}}},
      7);
  const std::string path = scratch_.file("a.wav", test::wav_of(test::tone(8000, 440, 8000), 8000));
  const Example example = inspect(session, path, {});
  expect_sound(example);
  const predict::Transcriber transcriber(session, {});
  EXPECT_EQ(example.predictions.front().text,
            test::predicted(transcriber, test::lines_of({path})).front().text);
  EXPECT_EQ(example.axes.size(), o.has_decoder() ? 3u : 1u);
  EXPECT_NEAR(axis<FrameAxis>(example, 0).seconds, 1, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Models, InspectSounds,
                         testing::Values("--decoder ctc", "--decoder joint --dec-depth 1"));

TEST_F(InspectVectors, AFileThatCannotBeReadIsAnError) {
  models::ClassifierOptions o;
  test::set(o, "--input image --patch-size 2 --dim-emb 16");
  const auto session =
      model_file::new_classifier(o,
                                 {.text = {.labels = {data::LabelSet({"x", "y"}, "labels")}},
                                  .image = {.height = 4, .width = 6, .channels = 1},
                                  .statistics = {{0.1}, {0.4}}},
                                 7);
  EXPECT_THROW(inspect(session, "missing.png", {}), FileError);
  EXPECT_THROW(inspect(session, scratch_.file("text.png", "no picture"), {}), FormatError);
}

}  // namespace
}  // namespace weft::inspect
