#include "weft/model_file/detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"

namespace weft::model_file {
namespace {

using testing::HasSubstr;

class DetectorFile : public testing::Test {
 protected:
  DetectorFile() {
    models::DetectorOptions options;
    test::set(options,
              "--patch-size 4 --enc-depth 1 --dec-depth 1 --dim-emb 8 --transformer-heads 2 "
              "--transformer-dim-ffn 16 --query-count 3");
    session_ = new_detector(options,
                            {.labels = data::LabelSet({"cup", "spoon"}, "labels"),
                             .image = {.height = 8, .width = 12, .channels = 1},
                             .statistics = {{0.25}, {0.5}}},
                            3);
  }
  // Writes the model with one option of its file changed.
  std::string changed(const char* key, const nlohmann::json& value) const {
    Contents contents = session_.contents();
    auto options = nlohmann::ordered_json::parse(contents.options);
    options[key] = value;
    contents.options = options.dump();
    auto model = session_.model;
    write(path_, contents, tensors_of(nn::parameters_of(model), session_.parameters));
    return path_;
  }
  models::BoxPredictions run(const DetectorSession& session) const {
    data::Features pictures;
    pictures.width = 96;
    pictures.values.assign(192, 100);
    pictures.values[30] = 7;
    pictures.segments.append(1);
    pictures.segments.append(1);
    return session.model(data::patches_of(pictures, session.patches()), {});
  }

  test::Scratch folder_;
  std::string path_ = folder_.path("detector.safetensors");
  DetectorSession session_;
};

TEST_F(DetectorFile, HasAllThatPredictionNeeds) {
  save(path_, session_, session_.parameters);
  const auto again = load<DetectorSession>(path_);
  EXPECT_EQ(again.labels.names(), session_.labels.names());
  EXPECT_EQ(again.statistics.mean, session_.statistics.mean);
  EXPECT_EQ(again.statistics.deviation, session_.statistics.deviation);
  EXPECT_EQ(again.model.dims.image.width, 12);
  EXPECT_EQ(again.model.options.image.patch_size, 4);
  EXPECT_TRUE(test::same_bits(run(again).logits, run(session_).logits));
  EXPECT_TRUE(test::same_bits(run(again).boxes, run(session_).boxes));
}

TEST_F(DetectorFile, PredictsTheSamePackedAsItWasRounded) {
  save(path_, session_, session_.parameters);
  for (const Precision precision : {Precision::kBFloat16, Precision::kInt8}) {
    const auto packed = load_packed<DetectorSession>(path_, precision);
    save_rounded(folder_.path("small"), session_, precision);
    const auto rounded = load_packed<DetectorSession>(folder_.path("small"), Precision::kStored);
    EXPECT_TRUE(test::same_bits(run(packed).boxes, run(rounded).boxes));
    EXPECT_LT(test::distance(run(packed).boxes, run(session_).boxes), 0.05);
  }
}

TEST_F(DetectorFile, NamesWhatIsWrong) {
  const struct {
    const char* key;
    nlohmann::json value;
    const char* message;
  } cases[] = {
      {"type", "tagger", "is a model of type 'tagger'; expected detector"},
      {"label-count", 3, "2 labels in labels.0; the options say 3"},
      {"channel-mean", {0.5, 0.5}, "channel-mean and channel-deviation of 2 and 1 numbers"},
      {"patch-size", 16, "contradicting options: --patch-size: 16 does not divide"},
      {"picture-channels", 2, "contradicting options: model: pictures of 8 by 12 with 2 channels"},
      {"query-count", 0, "query-count"},
      {"queries", "both", "queries"},
      {"dim-emb", 16, "has the wrong shape; expected [8, 4]"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(
        test::message_of<FormatError>([&] { load<DetectorSession>(changed(c.key, c.value)); }),
        HasSubstr(c.message))
        << c.key;
  }
}

}  // namespace
}  // namespace weft::model_file
