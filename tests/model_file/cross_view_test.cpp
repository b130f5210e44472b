#include "weft/model_file/cross_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/formats/safetensors.h"

namespace weft::model_file {
namespace {

using testing::HasSubstr;

class CrossViewFile : public testing::Test {
 protected:
  CrossViewFile() {
    models::CrossViewOptions o;
    test::set(o,
              "--objective motion --decoder two-stream --patch-size 2 --enc-depth 1 --dec-depth 1 "
              "--dim-emb 16 --transformer-heads 2 --transformer-dim-ffn 8");
    session_ =
        new_cross_view(o,
                       {.dims = {.image = {.height = 4, .width = 6, .channels = 1}, .numbers = 2},
                        .pixels = {.mean = {0.5}, .deviation = {0.25}},
                        .numbers = {.mean = {1, 2}, .deviation = {3, 4}}},
                       7);
    save(path_, session_, session_.parameters);
  }
  // What loading says once an option of the file has another value.
  std::string error_with(const char* option, const nlohmann::ordered_json& value) const {
    const formats::SafetensorsFile file(path_);
    formats::NamedTensors tensors;
    for (const std::string& name : file.names()) {
      tensors.emplace_back(name, file.tensor(name).clone());
    }
    auto metadata = file.metadata();
    auto options = nlohmann::ordered_json::parse(metadata.at("weft.options"));
    options[option] = value;
    metadata["weft.options"] = options.dump();
    const std::string path = folder_.path("changed");
    formats::save_safetensors(path, tensors, metadata, {}, formats::WithChecksum::kYes);
    return test::message_of<FormatError>([&] { load<CrossViewSession>(path); });
  }

  test::Scratch folder_;
  std::string path_ = folder_.path("views.safetensors");
  CrossViewSession session_;
};

TEST_F(CrossViewFile, ComesBackAsItWas) {
  const CrossViewSession loaded = load<CrossViewSession>(path_);
  EXPECT_TRUE(test::same_bits(loaded.parameters, session_.parameters));
  EXPECT_EQ(loaded.model.dims.image.width, 6);
  EXPECT_EQ(loaded.pixels.deviation, session_.pixels.deviation);
  EXPECT_EQ(loaded.numbers.mean, session_.numbers.mean);
  EXPECT_TRUE(loaded.model.options.has_two_streams());
  save(folder_.path("again"), loaded, loaded.parameters);
  EXPECT_TRUE(test::read_bytes(path_) == test::read_bytes(folder_.path("again")));
}

TEST_F(CrossViewFile, NamesWhatDoesNotFit) {
  EXPECT_THAT(error_with("number-mean", {1.0}), HasSubstr("number-mean and number-deviation"));
  EXPECT_THAT(error_with("channel-mean", {1.0, 2.0}), HasSubstr("of 2 and 1 numbers; expected 1"));
  EXPECT_THAT(error_with("number-count", 3), HasSubstr("number-deviation of 2 and 2 numbers"));
  EXPECT_THAT(error_with("patch-size", 5), HasSubstr("5 does not divide views of 4 by 6"));
  EXPECT_THAT(error_with("position", "learned"), HasSubstr("contradicting options: --position"));
  EXPECT_THAT(error_with("architecture", "cnn"), HasSubstr("--type: cnn is not implemented"));
}

}  // namespace
}  // namespace weft::model_file
