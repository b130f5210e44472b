#include "weft/model_file/classifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/model_file/translator.h"

namespace weft::model_file {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ClassifierFile : public testing::Test {
 protected:
  ClassifierFile() {
    models::ClassifierOptions o;
    o.encoder.dim_emb = 16;
    o.pooling = nn::AttentionPoolingOptions{.heads = 2};
    o.labels = models::SeveralLabels{{.at_least_one = true}};
    session_ =
        new_classifier(o,
                       {.text = {data::make_plain_tokeniser(data::Vocabulary({"a", "b"}, "words")),
                                 {data::LabelSet({"x", "y y"}, "labels")}}},
                       7);
    session_.max_length = 40;
    session_.params = {.threshold = 0.3, .temperature = 1.5};
    save(path_, session_, session_.parameters);
  }
  std::string load_error() const {
    return test::message_of<FormatError>([&] { load<ClassifierSession>(path_); });
  }
  // Writes the file again with another option, or other labels.
  void rewrite(const char* option, const nlohmann::ordered_json& value,
               const std::string& labels = "") const {
    const formats::SafetensorsFile file(path_);
    formats::NamedTensors tensors;
    for (const std::string& name : file.names()) {
      Tensor x = file.tensor(name).clone();
      if (name == "labels.0" && !labels.empty()) {
        x = Tensor::empty({static_cast<int64_t>(labels.size())}, DType::kU8);
        std::ranges::copy(labels, x.data<uint8_t>());
      }
      tensors.emplace_back(name, x);
    }
    auto metadata = file.metadata();
    auto options = nlohmann::ordered_json::parse(metadata.at("weft.options"));
    if (option != nullptr) options[option] = value;
    metadata["weft.options"] = options.dump();
    formats::save_safetensors(path_, tensors, metadata, {}, formats::WithChecksum::kYes);
  }

  test::Scratch folder_;
  std::string path_ = folder_.path("class.safetensors");
  ClassifierSession session_;
};

TEST_F(ClassifierFile, ComesBackAsItWas) {
  const ClassifierSession loaded = load<ClassifierSession>(path_);
  EXPECT_TRUE(test::same_bits(loaded.parameters, session_.parameters));
  EXPECT_THAT(loaded.labels().names(), ElementsAre("x", "y y"));
  EXPECT_EQ(loaded.text.tokeniser->encode("a b"), session_.text.tokeniser->encode("a b"));
  EXPECT_EQ(loaded.max_length, 40);
  EXPECT_EQ(loaded.params.threshold, 0.3);
  EXPECT_EQ(loaded.params.temperature, 1.5);
  EXPECT_EQ(loaded.model.options.pooling.get<nn::AttentionPoolingOptions>().heads, 2);
  EXPECT_TRUE(loaded.model.options.labels.get<models::SeveralLabels>().at_least_one);
  save(folder_.path("again"), loaded, loaded.parameters);
  EXPECT_TRUE(test::read_bytes(path_) == test::read_bytes(folder_.path("again")));
}

TEST_F(ClassifierFile, IsRounded) {
  save_rounded(folder_.path("small"), session_, Precision::kInt8);
  const ClassifierSession packed =
      load_packed<ClassifierSession>(folder_.path("small"), Precision::kStored);
  EXPECT_EQ(packed.model.output.weight.packed.type(), kernels::PackedType(DType::kI8));
  EXPECT_EQ(packed.params.threshold, 0.3);
}

TEST_F(ClassifierFile, NamesWhatIsWrong) {
  rewrite("label-count", 3);
  EXPECT_THAT(load_error(),
              HasSubstr("class.safetensors: 2 labels in labels.0; the options say 3"));
  rewrite("label-count", 2);
  rewrite("vocab-size", 4);
  EXPECT_THAT(load_error(), HasSubstr("a vocabulary of 5 entries; expected at most 4"));
  rewrite("vocab-size", 5);
  rewrite("unknown-id", 5);
  EXPECT_THAT(load_error(), HasSubstr("contradicting options: "));
  rewrite("unknown-id", 1);
  rewrite("threshold", 2);
  EXPECT_THAT(load_error(), HasSubstr("threshold: out of range"));
  rewrite("threshold", 0.5);
  rewrite("temperature", 0);
  EXPECT_THAT(load_error(), HasSubstr("temperature: out of range"));
  rewrite("temperature", 1);
  rewrite(nullptr, {}, "no labels");
  EXPECT_THAT(load_error(), HasSubstr("labels.0: not a list of labels"));
  EXPECT_THAT(test::message_of<FormatError>([&] { load<TranslatorSession>(path_); }),
              HasSubstr("is a model of type 'classifier'; expected seq2seq"));
}

class PictureClassifierFile : public ClassifierFile {
 protected:
  PictureClassifierFile() {
    models::ClassifierOptions o;
    o.encoder.dim_emb = 16;
    o.input = models::ImageInput{.image_size = {}, .patch_size = 2};
    o.pooling = nn::FirstRowPoolingOptions{};
    session_ = new_classifier(o,
                              {.text = {.labels = {data::LabelSet({"x", "y y"}, "labels")}},
                               .image = {.height = 4, .width = 6, .channels = 3},
                               .statistics = {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.25}}},
                              7);
    save(path_, session_, session_.parameters);
  }
};

TEST_F(PictureClassifierFile, ComesBackAsItWas) {
  const ClassifierSession loaded = load<ClassifierSession>(path_);
  EXPECT_TRUE(test::same_bits(loaded.parameters, session_.parameters));
  EXPECT_EQ(loaded.text.tokeniser, nullptr);
  EXPECT_EQ(loaded.model.dims.image.width, 6);
  EXPECT_THAT(loaded.statistics.mean, ElementsAre(0.1, 0.2, 0.3));
  EXPECT_THAT(loaded.statistics.deviation, ElementsAre(0.4, 0.5, 0.25));
  save(folder_.path("again"), loaded, loaded.parameters);
  EXPECT_TRUE(test::read_bytes(path_) == test::read_bytes(folder_.path("again")));
}

TEST_F(PictureClassifierFile, NamesWhatIsWrong) {
  const auto expect_error = [&](const char* option, const nlohmann::ordered_json& value,
                                const char* message) {
    const auto options = nlohmann::ordered_json::parse(
        formats::SafetensorsFile(path_).metadata().at("weft.options"));
    rewrite(option, value);
    EXPECT_THAT(load_error(), HasSubstr(message)) << option;
    rewrite(option, options.at(option));
  };
  expect_error("picture-height", 0, "pictures of 0 by 6 with 3 channels");
  expect_error("picture-height", 1e9, "picture-height: out of range");
  expect_error("picture-width", 5, "does not divide pictures of 4 by 5");
  expect_error("picture-channels", 2, "pictures of 4 by 6 with 2 channels");
  expect_error("picture-channels", 1, "channel-mean and channel-deviation of 3 and 3 numbers");
  expect_error("channel-deviation", {0.4, 0.5},
               "channel-mean and channel-deviation of 3 and 2 numbers");
  expect_error("channel-deviation", {0.4, 0.5, 0}, "channel-deviation: out of range");
  expect_error("patch-size", 1, "embed_vectors.weight");
  expect_error("input", "text", "--patch-size: belongs to --input image");
}

}  // namespace
}  // namespace weft::model_file
