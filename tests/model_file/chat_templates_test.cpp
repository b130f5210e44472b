// Chat templates in model files, GGUF files and folders of Transformers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "tests/model_file/small_chat_model.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/data/text/sentencepiece.h"
#include "weft/model_file/gguf/gguf_model.h"
#include "weft/model_file/hugging_face/folder.h"

namespace weft::model_file {
namespace {

using Named = std::vector<std::pair<std::string, std::string>>;
using testing::HasSubstr;

std::string golden(const std::string& name) {
  return test::source_path("tests/golden/language_models/llama/" + name);
}

TEST(ChatTemplateAssets, AreKeptInModelFiles) {
  const test::Scratch folder;
  LanguageModelSession session = small_chat_model();
  session.chat_templates.set("tool_use", "{% if");  // not parsed
  save(folder.path("m"), session, session.parameters);
  const auto again = load<LanguageModelSession>(folder.path("m"));
  EXPECT_EQ(again.chat_templates.by_name, session.chat_templates.by_name);
  EXPECT_EQ(again.chat_templates.where, folder.path("m") + ": chat_template");
  session.chat_templates = {};
  EXPECT_EQ(session.contents().assets.size(), 1u);
}

// The bytes of a metadata field that is a string.
std::string gguf_field(const std::string& name, const std::string& text) {
  const auto number = [](uint64_t value, size_t bytes) {
    return std::string(reinterpret_cast<const char*>(&value), bytes);
  };
  constexpr uint64_t kString = 8;
  return number(name.size(), 8) + name + number(kString, 4) + number(text.size(), 8) + text;
}

TEST(ChatTemplateAssets, AreReadFromGguf) {
  const test::Scratch folder;
  std::string text = "<s>{{ messages }}", fields;
  // Tensors stay where they are: whole units of alignment are inserted.
  constexpr size_t kAlignment = 32, kFirstField = 24, kCount = 16;
  do {
    text += ' ';
    fields = gguf_field("tokenizer.chat_template", text) +
             gguf_field("tokenizer.chat_template.tool_use", "t");
  } while (fields.size() % kAlignment != 0);
  std::string bytes = test::read_bytes(golden("model.gguf"));
  uint64_t count = 0;
  std::memcpy(&count, bytes.data() + kCount, sizeof(count));
  count += 2;
  std::memcpy(bytes.data() + kCount, &count, sizeof(count));
  bytes.insert(kFirstField, fields);
  const std::string path = folder.file("m.gguf", bytes);
  const auto session = GgufModel(path).load<LanguageModelSession>();
  EXPECT_EQ(session.chat_templates.by_name, (Named{{"default", text}, {"tool_use", "t"}}));
  EXPECT_EQ(session.chat_templates.where, path + ": chat_template");
}

class ChatTemplateFolder : public testing::Test {
 protected:
  ChatTemplateFolder() {
    std::filesystem::copy(golden("."), folder_.folder(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
    write("tokenizer.json", letters_of_chat_model()->file_bytes(false));
  }
  void write(const std::string& name, const std::string& text) { folder_.file(name, text); }
  LanguageModelSession read(const std::string& name = "") const {
    return HuggingFaceModel(folder_.path(name)).load<LanguageModelSession>();
  }

  test::Scratch folder_;
};

TEST_F(ChatTemplateFolder, HasThemInItsConfigOrAFile) {
  const auto templates = [&] { return read().chat_templates.by_name; };
  EXPECT_EQ(templates(), Named());
  write("tokenizer_config.json", R"({"eos_token": "<eos>", "chat_template": "a"})");
  EXPECT_EQ(templates(), (Named{{"default", "a"}}));
  write("tokenizer_config.json", R"({"eos_token": "<eos>", "chat_template": [
      {"name": "default", "template": "b"}, {"name": "tool_use", "template": "c"}]})");
  EXPECT_EQ(templates(), (Named{{"default", "b"}, {"tool_use", "c"}}));
  EXPECT_EQ(read().chat_templates.where, folder_.path("tokenizer_config.json: chat_template"));
  write("chat_template.jinja", "d\n");
  EXPECT_EQ(templates(), (Named{{"default", "d\n"}, {"tool_use", "c"}}));
  EXPECT_EQ(read().chat_templates.where, folder_.path("chat_template.jinja: chat_template"));
  write("tokenizer_config.json", R"({"chat_template": [{"name": "x"}]})");
  EXPECT_THAT(test::message_of<FormatError>(templates),
              HasSubstr("tokenizer_config.json: chat_template is"));
}

TEST_F(ChatTemplateFolder, IsWrittenWithThem) {
  LanguageModelSession session = read();
  for (const Named& named : {Named{{"default", "a"}}, Named{{"default", "b"}, {"tool_use", "c"}}}) {
    session.chat_templates.by_name = named;
    const std::string name = "out" + std::to_string(named.size());
    write_hugging_face(folder_.path(name), session);
    EXPECT_EQ(read(name).chat_templates.by_name, named);
  }
  std::filesystem::remove(folder_.path("tokenizer.json"));
  const std::vector<std::string> lines = {"a small text of some words", "another one"};
  write("tokenizer.model", data::train_sentencepiece(lines, {.size = 30, .type = "bpe"}, "test"));
  LanguageModelSession pieces = read();
  pieces.chat_templates.set("default", "e");
  write_hugging_face(folder_.path("pieces"), pieces);
  EXPECT_EQ(read("pieces").chat_templates.by_name, (Named{{"default", "e"}}));
}

}  // namespace
}  // namespace weft::model_file
