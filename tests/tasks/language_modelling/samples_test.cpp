#include "weft/tasks/language_modelling/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tasks/language_modelling/small_modelling.h"

namespace weft::tasks {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> tables_of(const std::vector<data::TrainingText>& texts) {
  std::vector<std::string> out;
  for (const train::Sample& sample : samples_of(model_file::small_chat_model(), texts)) {
    out.push_back(sample.text);
  }
  return out;
}

data::TrainingText dialogue() {
  data::TrainingText out;
  out.conversation.emplace();
  for (const auto& [role, content] : {std::pair{"user", "who"},
                                      {"assistant", "me"},
                                      {"user", "why"},
                                      {"assistant", "so"},
                                      {"user", "bye"}}) {
    out.conversation->add(role, content);
  }
  return out;
}

TEST(TextSamples, ContinueWhatIsBeforeTheAnswer) {
  const auto tables =
      tables_of({{.text = "say a", .completion = "aa"}, dialogue(), {.text = "abcdefgh"}});
  const auto shows = [](const char* prompt, const char* reference) {
    return ContainsRegex(std::string("\\| prompt \\| ") + prompt + " \\|\n\\| reference \\| " +
                         reference + " \\|\n\\| model \\| ");
  };
  EXPECT_THAT(tables, ElementsAre(shows("say a", "aa"), shows("why", "so"), shows("abcd", "efgh")));
  EXPECT_EQ(tables,
            tables_of({{.text = "say a", .completion = "aa"}, dialogue(), {.text = "abcdefgh"}}));
}

TEST(TextSamples, ShowWholeCharacters) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "\u20AC";  // three bytes
  EXPECT_THAT(tables_of({{.text = text}}).front(),
              HasSubstr("| prompt | " + text.substr(0, 198) + " |\n| reference | " +
                        text.substr(0, 399 - 198) + " |"));
}

TEST(TextSamples, AreOfTheFirstTextsOfValidation) {
  const test::Scratch folder;
  const auto session = model_file::small_chat_model();
  const std::string path = folder.file("a.jsonl", R"({"prompt": "a", "completion": "b"})"
                                                  "\n"
                                                  R"({"text": "c d"})"
                                                  "\n");
  const TextSequences found = read_sequences({path}, {}, session);
  ASSERT_EQ(found.first.size(), 2U);
  EXPECT_EQ(found.first[0].completion, "b");
  EXPECT_EQ(found.first[1].text, "c d");
}

}  // namespace
}  // namespace weft::tasks
