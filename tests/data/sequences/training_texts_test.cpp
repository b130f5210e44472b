#include "weft/data/sequences/training_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;

std::vector<TrainingText> texts_of(const std::string& path,
                                   TextFormat format = TextFormat::kByName) {
  std::vector<TrainingText> out;
  read_training_texts({path}, format,
                      [&](const TrainingText& text, std::string_view) { out.push_back(text); });
  return out;
}

std::vector<std::string> plain_texts(const std::string& path, TextFormat format) {
  std::vector<std::string> out;
  for (const TrainingText& text : texts_of(path, format)) out.push_back(text.text);
  return out;
}

TEST(TrainingTexts, AreWholeFilesOrTheirLines) {
  const test::Scratch folder;
  const std::string path = folder.file("a.txt", "\xEF\xBB\xBFone\n\ntwo\r\n");
  EXPECT_THAT(plain_texts(path, TextFormat::kByName), ElementsAre("one\n\ntwo\r\n"));
  EXPECT_THAT(plain_texts(path, TextFormat::kDocuments), ElementsAre("one\n\ntwo\r\n"));
  EXPECT_THAT(plain_texts(path, TextFormat::kLines), ElementsAre("one", "two"));
  EXPECT_THAT(plain_texts(folder.file("empty.txt", ""), TextFormat::kDocuments), ElementsAre());
}

TEST(TrainingTexts, OfJsonHaveATextACompletionOrMessages) {
  const test::Scratch folder;
  const auto texts = texts_of(folder.file(
      "a.jsonl",
      "{\"text\": \"one\"}\n\n{\"prompt\": \"two\", \"completion\": \"three\"}\n"
      "{\"messages\": [{\"role\": \"user\", \"content\": \"four\"}], \"tools\": []}\n"));
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts[0].text, "one");
  EXPECT_FALSE(texts[0].completion || texts[0].conversation);
  EXPECT_EQ(texts[1].text, "two");
  EXPECT_EQ(texts[1].completion, "three");
  ASSERT_TRUE(texts[2].conversation);
  EXPECT_EQ(texts[2].conversation->messages[0]["content"], "four");
  EXPECT_TRUE(texts[2].conversation->variables.contains("tools"));
  std::vector<std::string> parts;
  for (const TrainingText& text : texts) {
    for_each_part(text, [&](std::string_view part) { parts.emplace_back(part); });
  }
  EXPECT_THAT(parts, ElementsAre("one", "two", "three", "four"));
}

TEST(TrainingTexts, NameTheLineAndTheFieldThatIsWrong) {
  const struct {
    std::string line, message;
  } cases[] = {
      {"nothing", "JSON: no JSON at byte 2"},
      {"[1]", "JSON: expected an object with text, with prompt and completion, or with messages"},
      {R"({"prompt": "x"})",
       "JSON: expected an object with text, with prompt and completion, or with messages"},
      {R"({"text": "x", "label": 1})", "JSON: expected text and no other field"},
      {R"({"text": ""})", "text: expected a text that is not empty"},
      {R"({"text": 3})", "text: expected a text that is not empty"},
      {R"({"prompt": "x", "completion": ""})", "completion: expected a text that is not empty"},
      {R"({"question": "x", "completion": "y"})", "prompt: expected a text that is not empty"},
      {R"({"messages": []})", "messages: expected a list of messages"},
      {R"({"messages": [{"role": "robot", "content": "x"}]})",
       "messages: message 1: role is 'robot'; expected system, developer, user, assistant, tool"},
      {R"({"messages": [{"role": "user"}], "text": "x"})",
       "JSON: field 'text' is not supported; expected messages, tools, documents or "
       "chat_template_kwargs"},
  };
  const test::Scratch folder;
  for (const auto& c : cases) {
    const std::string path = folder.file("a.jsonl", "{\"text\": \"fine\"}\n" + c.line + "\n");
    EXPECT_EQ(test::message_of<FormatError>([&] { texts_of(path); }), path + ":2: " + c.message);
  }
}

TEST(TrainingTexts, RefuseBytesThatAreNotText) {
  const test::Scratch folder;
  const std::string path = folder.file("a.txt", "fine\n\xC3\x28\n");
  EXPECT_EQ(test::message_of<FormatError>([&] { texts_of(path, TextFormat::kDocuments); }),
            path + ": is not UTF-8; expected text");
  EXPECT_EQ(test::message_of<FormatError>([&] { texts_of(path, TextFormat::kLines); }),
            path + ":2: is not UTF-8; expected text");
}

}  // namespace
}  // namespace weft::data
