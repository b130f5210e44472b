// weft inspect of models that are not files of Weft: GGUF, and folders of Transformers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/e2e/training.h"
#include "tests/support/paths.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class InspectFormats : public testing::Test {
 protected:
  using Json = nlohmann::json;
  ProcessResult run(const std::string& args, const std::string& input = "") const {
    return run_weft(words_of(args), {.input = input, .folder = folder_.folder()});
  }
  // The file `llama`, and in GGUF `half.gguf`.
  void write_language_model() const {
    const ProcessResult result =
        run("convert --from-gguf " + gguf_ + " -o llama --to-gguf half.gguf --precision float16");
    ASSERT_EQ(result.status, 0) << result.errors;
  }
  // What is shown of a model, without what is of its file alone.
  Json shown(const std::string& model, const std::string& input) const {
    const ProcessResult result = run("inspect -m " + model + " --data data --html page", input);
    EXPECT_EQ(result.status, 0) << model << ": " << result.errors;
    Json out = Json::parse(read_bytes(folder_.path("data")))["models"][0];
    out.erase("name");
    for (const char* key : {"file", "format", "bytes", "checksum"}) out["summary"].erase(key);
    return out;
  }
  Json summary(const std::string& model) const {
    const ProcessResult result = run("inspect --json -m " + model);
    EXPECT_EQ(result.status, 0) << model << ": " << result.errors;
    return Json::parse(result.output);
  }
  // The model and the file that it is converted to by these options are shown alike.
  void expect_alike(const std::string& model, const std::string& option, const std::string& input) {
    const ProcessResult converted =
        run("convert " + option + " " + model + " -o converted --overwrite");
    ASSERT_EQ(converted.status, 0) << converted.errors;
    const Json found = shown(model, input), expected = shown("converted", input);
    EXPECT_FALSE(found["examples"][0]["attentions"].empty()) << model;
    EXPECT_TRUE(found == expected) << model << ": " << Json::diff(expected, found);
    EXPECT_EQ(summary(model)["vocabularies"], summary("converted")["vocabularies"]) << model;
  }

  std::string gguf_ = source_path("tests/golden/language_models/llama/model.gguf");
  Scratch folder_;
};

TEST_F(InspectFormats, PrintsWhatIsInFoldersAndGguf) {
  const std::string bert = source_path("tests/golden/encoders/bert_tagger");
  const std::string text = run("inspect -m " + bert).output;
  EXPECT_THAT(text, StartsWith("file          " + bert + ", 0.0 MB, Transformers\n"));
  EXPECT_THAT(text, HasSubstr("\nkind          tagger\nparameters    "));
  EXPECT_THAT(text, HasSubstr("\nlabels        labels.0: 3 labels: O, B-X, I-X\n"));
  EXPECT_THAT(text, HasSubstr("model.encoder.layers.0"));
  EXPECT_THAT(text, Not(HasSubstr("training state")));
  write_language_model();
  const Json half = summary("half.gguf");
  EXPECT_EQ(half["format"], "GGUF");
  EXPECT_EQ(half["kind"], "language-model");
  EXPECT_EQ(half["bytes"], std::filesystem::file_size(folder_.path("half.gguf")));
  EXPECT_EQ(half["tensors"][0]["type"], "F16");
  const Json& table = half["tensors"][0];
  EXPECT_EQ(table["bytes"], 2 * table["shape"][0].get<int>() * table["shape"][1].get<int>());
  EXPECT_FALSE(half.contains("training"));
}

TEST_F(InspectFormats, NamesAFolderWhosePathEndsWithASlash) {
  const std::string bert = source_path("tests/golden/encoders/bert/");
  ASSERT_EQ(run("inspect --data data -m " + bert, "a\n").status, 0);
  EXPECT_EQ(Json::parse(read_bytes(folder_.path("data")))["models"][0]["name"], "bert");
}

TEST_F(InspectFormats, ShowsFoldersAsTheirConvertedFiles) {
  for (const char* kind : {"bert", "bert_classifier", "distilbert_tagger", "modernbert_classifier",
                           "roberta_tagger", "xlm_roberta"}) {
    expect_alike(source_path(std::string("tests/golden/encoders/") + kind), "--from-hf",
                 "a cat sat\nthe dog\n");
  }
  expect_alike(source_path("tests/golden/encoders/bert_masked_lm"), "--from-hf",
               "the [MASK] sat\nthe cat\n");
  EXPECT_FALSE(shown("converted", "the [MASK] sat\n")["examples"][0]["predictions"].empty());
  for (const char* marian : {"marian_apart", "marian_shared"}) {
    expect_alike(source_path(std::string("tests/golden/") + marian), "--from-hf", "a b c\n");
  }
  const std::string vit = source_path("tests/golden/vit_folder");
  expect_alike(vit, "--from-hf", vit + "/picture.png\n");
}

TEST_F(InspectFormats, ShowsLanguageModelsAsTheirConvertedFiles) {
  write_language_model();
  ASSERT_EQ(run("convert -m llama --to-hf folder").status, 0);
  expect_alike("folder", "--from-hf", "a cat sat\n");
  for (const std::string& file : {gguf_, std::string("half.gguf")}) {
    expect_alike(file, "--from-gguf", "a cat sat\n");
  }
  const Json page = shown("folder", "a cat sat\n");
  EXPECT_FALSE(page["examples"][0]["predictions"][0]["tokens"].empty());
  EXPECT_FALSE(page["examples"][0]["attributions"]["labels"].empty());
}

TEST_F(InspectFormats, PrintsWhatHeadsOfAFolderCost) {
  folder_.file("labels.tsv", "O\ta cat\nB-X\tthe dog\n");
  const std::string model = source_path("tests/golden/encoders/bert_classifier");
  ASSERT_EQ(run("convert --from-hf " + model + " -o m").status, 0);
  const ProcessResult found = run("inspect --ablate labels.tsv -m " + model);
  EXPECT_EQ(found.status, 0) << found.errors;
  EXPECT_THAT(found.output, HasSubstr("loss of the whole model: "));
  EXPECT_EQ(found.output, run("inspect --ablate labels.tsv -m m").output);
}

TEST_F(InspectFormats, ReportsErrors) {
  const std::string bytes = read_bytes(gguf_);
  folder_.file("m.gguf", bytes);
  folder_.file("short.gguf", bytes.substr(0, bytes.size() - 40));
  std::string other = bytes;
  other.replace(other.find("llama"), 5, "lxama");
  folder_.file("other.gguf", other);
  std::filesystem::create_directory(folder_.path("empty"));
  std::filesystem::create_directory(folder_.path("unknown"));
  folder_.file("unknown/config.json", R"({"model_type": "whisper"})");
  folder_.file("unknown/model.safetensors",
               read_bytes(source_path("tests/golden/vit_folder/model.safetensors")));
  const std::pair<std::string, const char*> cases[] = {
      {"short.gguf", "weft: short.gguf: "},
      {"other.gguf",
       "weft: other.gguf: general.architecture is not supported as \"lxama\"; expected "},
      {"empty", "weft: empty: has no config.json"},
      {"unknown",
       "weft: unknown/config.json: field 'model_type' is not supported as \"whisper\"; expected "}};
  for (const auto& [model, message] : cases) {
    const ProcessResult result = run("inspect -m " + model);
    EXPECT_EQ(result.status, 1) << model;
    EXPECT_THAT(result.errors, StartsWith(message));
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  }
  const ProcessResult result = run("inspect -m m.gguf --data m.gguf", "a\n");
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(read_bytes(folder_.path("m.gguf")) == bytes);
}

}  // namespace
}  // namespace weft::test
