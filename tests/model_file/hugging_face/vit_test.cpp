// Vision Transformers against Transformers: tools/golden/vit_folder.py made the folder.
#include "weft/model_file/hugging_face/vit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/model_file/classifier.h"
#include "weft/model_file/hugging_face/folder.h"
#include "weft/model_file/hugging_face/logits.h"

namespace weft::model_file {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kVitFolder = test::source_path("tests/golden/vit_folder");

ClassifierSession read_vit(const std::string& folder) {
  return HuggingFaceModel(folder).load<ClassifierSession>();
}

void expect_same_tensors(const std::string& path, const std::string& other) {
  const formats::SafetensorsFile x(path), y(other);
  ASSERT_EQ(x.names().size(), y.names().size());
  for (const std::string& name : x.names()) {
    ASSERT_EQ(x.shape(name), y.shape(name)) << name;
    const Tensor a = x.tensor(name), b = y.tensor(name);
    EXPECT_EQ(std::memcmp(a.bytes(), b.bytes(), static_cast<size_t>(a.size()) * 4), 0) << name;
  }
}

TEST(Vit, GivesTheLogitsOfTransformers) {
  const ClassifierSession session = read_vit(kVitFolder);
  EXPECT_LT(largest_logit_difference(session, kVitFolder + "/logits.safetensors"), 1e-5);
  EXPECT_THAT(session.labels().names(), ElementsAre("shirt", "ankle boot", "bag", "coat", "dress"));
}

TEST(Vit, RoundTrips) {
  const test::Scratch folder;
  ClassifierSession session = read_vit(kVitFolder);
  session.params = {.threshold = 0.25, .temperature = 1.5};
  write_hugging_face(folder.path("hf"), session);
  expect_same_tensors(folder.path("hf/model.safetensors"), kVitFolder + "/model.safetensors");
  ClassifierSession again = read_vit(folder.path("hf"));
  save(folder.path("one"), session, session.parameters);
  save(folder.path("two"), again, again.parameters);
  EXPECT_EQ(test::read_bytes(folder.path("one")), test::read_bytes(folder.path("two")));
}

ClassifierAssets vit_assets() {
  return {.text = {.labels = {data::LabelSet({"a", "b"}, "")}},
          .image = {.height = 4, .width = 4, .channels = 1},
          .statistics = {{0.5}, {0.25}}};
}

// A model made here, of grey pictures, whose table of positions has rows that are not used.
TEST(Vit, IsWrittenFromAModelOfWeft) {
  models::ClassifierOptions options;
  test::set(options,
            "--input image --patch-size 2 --enc-depth 1 --dim-emb 8 --transformer-heads 2 "
            "--transformer-dim-ffn 6 --transformer-norm pre --position learned --pooling first "
            "--labels several --drop-path 0.1");
  ClassifierSession session = new_classifier(options, vit_assets(), 1);
  const test::Scratch folder;
  write_hugging_face(folder.path("hf"), session);
  EXPECT_THAT(test::read_bytes(folder.path("hf/config.json")),
              testing::AllOf(HasSubstr("\"image_size\": 4"),
                             HasSubstr("\"problem_type\": \"multi_label_classification\"")));
  const ClassifierSession again = read_vit(folder.path("hf"));
  EXPECT_EQ(again.model.options.encoder.position.max_positions, 5);
  data::Features patches;
  patches.width = 4;
  for (int i = 0; i < 16; ++i) patches.values.push_back(static_cast<float>(i) / 8 - 1);
  patches.segments.append(4);
  nn::Context context;
  const Tensor x = session.model.logits(patches, context), y = again.model.logits(patches, context);
  EXPECT_EQ(std::memcmp(x.bytes(), y.bytes(), 2 * sizeof(float)), 0);
}

TEST(Vit, HasBiasesOfQueriesKeysAndValuesOrNone) {
  models::ClassifierOptions options;
  test::set(options,
            "--input image --patch-size 2 --enc-depth 1 --dim-emb 8 --transformer-heads 2 "
            "--transformer-norm pre --position learned --pooling first "
            "--attention-query-bias false --attention-key-bias false --attention-value-bias false");
  const test::Scratch folder;
  ClassifierSession session = new_classifier(options, vit_assets(), 1);
  write_hugging_face(folder.path("hf"), session);
  EXPECT_THAT(test::read_bytes(folder.path("hf/config.json")), HasSubstr("\"qkv_bias\": false"));
  ClassifierSession again = read_vit(folder.path("hf"));
  save(folder.path("one"), session, session.parameters);
  save(folder.path("two"), again, again.parameters);
  const formats::SafetensorsFile one(folder.path("one")), two(folder.path("two"));
  EXPECT_EQ(one.names(), two.names());
  EXPECT_THAT(two.names(), testing::Not(testing::Contains(HasSubstr("q_proj.bias"))));
  EXPECT_THAT(two.names(), testing::Contains(HasSubstr("out_proj.bias")));
  session.model.options.encoder.transformer.attention.query_bias = true;
  EXPECT_THAT(
      test::message_of<OptionError>([&] { write_hugging_face(folder.path("new"), session); }),
      HasSubstr("-bias: ViT models in Transformers support"));
}

TEST(Vit, RefusesToWriteOptionsThatItDoesNotHave) {
  const std::pair<const char*, void (*)(models::ClassifierOptions&)> all[] = {
      {"--pooling", [](models::ClassifierOptions& o) { test::set(o, "--pooling mean"); }},
      {"--transformer-norm",
       [](models::ClassifierOptions& o) { test::set(o, "--transformer-norm post"); }},
      {"--position", [](models::ClassifierOptions& o) { test::set(o, "--position none"); }},
      {"--attention", [](models::ClassifierOptions& o) { test::set(o, "--attention local"); }},
  };
  const test::Scratch folder;
  for (const auto& [option, change] : all) {
    ClassifierSession session = read_vit(kVitFolder);
    change(session.model.options);
    EXPECT_THAT(
        test::message_of<OptionError>([&] { write_hugging_face(folder.path("new"), session); }),
        testing::StartsWith(std::string(option) + ": ViT models in Transformers support"));
    EXPECT_THAT(folder.names(), testing::IsEmpty());
  }
}

// A copy of the folder for a test to modify.
class DamagedVit : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::copy(kVitFolder, folder_.folder(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
  }
  std::string message_with(const char* file, const char* field, const Json& value) {
    SetUp();
    Json fields = Json::parse(test::read_bytes(folder_.path(file)));
    fields[field] = value;
    folder_.file(file, fields.dump());
    return test::message_of<Error>([&] { read_vit(folder_.folder()); });
  }

  test::Scratch folder_;
};

TEST_F(DamagedVit, ReportsTheField) {
  const std::tuple<const char*, Json, const char*> cases[] = {
      {"hidden_act", "tanh", "'hidden_act' is not supported as \"tanh\"; expected gelu"},
      {"image_size", {4, 6, 8}, "'image_size': expected one or two whole numbers from 1 to 4096"},
      {"image_size", 1e9, "'image_size': expected one or two whole numbers"},
      {"image_size", {{"height", 4}, {"width", 6}}, "'image_size': expected one or two whole"},
      {"patch_size", 0, "'patch_size': expected one or two whole numbers from 1 to 4096, got 0"},
      {"patch_size", {2, 1}, "'patch_size': expected a square, got 2 by 1"},
      {"patch_size", 4, "--patch-size: 4 does not divide pictures of 4 by 6"},
      {"num_channels", 2, "'num_channels': expected 1 or 3, got 2"},
      {"hidden_size", 9, "contradicting options: --transformer-heads"},
      {"hidden_size", 10, "has the wrong shape; expected [10, 3, 2, 2], got [8, 3, 2, 2]"},
      {"layer_norm_eps", 0, "'layer_norm_eps': norm-epsilon: out of range"},
      {"problem_type", "regression", "'problem_type' is not supported as \"regression\""},
      {"id2label",
       {{"0", "a"}, {"2", "b"}},
       "'id2label': expected the name of each id from 0 to 1"},
      {"id2label", {"a", "b"}, "'id2label': expected the name of each id from 0 to 1"},
      {"id2label", {{"0", "a\nb"}}, "field 'id2label'"},
      {"id2label", {{"0", "a"}}, "tensor 'classifier.weight' has the wrong shape; expected [1, 8]"},
      {"mask_ratio", 0.5, "field 'mask_ratio' is not supported"},
      {"architectures", {"ViTModel"}, "expected [\"ViTForImageClassification\"]"},
  };
  for (const auto& [field, value, expected] : cases) {
    EXPECT_THAT(message_with("config.json", field, value), HasSubstr(expected)) << field;
  }
}

TEST_F(DamagedVit, ReportsTheFieldOfTheProcessor) {
  const std::tuple<const char*, Json, const char*> cases[] = {
      {"resample", 3, "config.json: field 'resample' is not supported as 3; expected 2"},
      {"size", {{"shortest_edge", 4}}, "expected {\"height\":4,\"width\":6}"},
      {"size", 4, "field 'size' is not supported as 4"},
      {"rescale_factor", 1, "'rescale_factor' is not supported as 1; expected 0.0039"},
      {"do_rescale", false, "'do_rescale' is not supported as false"},
      {"do_center_crop", true, "'do_center_crop' is not supported as true"},
      {"image_mean", {0.5}, "channel-mean and channel-deviation of 1 and 3 numbers; expected 3"},
      {"image_std", {0, 1, 1}, "field 'image_std': channel-deviation: "},
      {"image_mean", nullptr, "no field 'image_mean'"},
      {"do_reduce_labels", true, "field 'do_reduce_labels' is not supported"},
  };
  for (const auto& [field, value, expected] : cases) {
    EXPECT_THAT(message_with("preprocessor_config.json", field, value), HasSubstr(expected))
        << field;
  }
  std::filesystem::remove(folder_.path("preprocessor_config.json"));
  EXPECT_THAT(test::message_of<FileError>([&] { read_vit(folder_.folder()); }),
              HasSubstr("preprocessor_config.json: "));
}

TEST_F(DamagedVit, NamesLabelsApart) {
  Json config = Json::parse(test::read_bytes(folder_.path("config.json")));
  config["id2label"]["4"] = "bag";
  folder_.file("config.json", config.dump());
  EXPECT_THAT(read_vit(folder_.folder()).labels().names(),
              ElementsAre("shirt", "ankle boot", "bag", "coat", "bag (4)"));
}

TEST_F(DamagedVit, ReadsPlainPixels) {
  Json fields = Json::parse(test::read_bytes(folder_.path("preprocessor_config.json")));
  fields["do_normalize"] = false;
  folder_.file("preprocessor_config.json", fields.dump());
  const data::ChannelStatistics statistics = read_vit(folder_.folder()).statistics;
  EXPECT_THAT(statistics.mean, ElementsAre(0, 0, 0));
  EXPECT_THAT(statistics.deviation, ElementsAre(1, 1, 1));
}

}  // namespace
}  // namespace weft::model_file
