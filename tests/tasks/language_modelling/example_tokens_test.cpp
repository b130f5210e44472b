#include "weft/tasks/language_modelling/example_tokens.h"

#include <gtest/gtest.h>

#include "tests/model_file/small_chat_model.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::tasks {
namespace {

// The tokens as text, those that have a loss between brackets.
std::string marked(const data::TrainingText& text, bool on_all = false) {
  const auto session = model_file::small_chat_model();
  const ExampleTokens tokens = ExampleTokeniser(session, on_all)(text);
  const auto is_label = [&](size_t i) { return tokens.is_label.empty() || tokens.is_label[i]; };
  std::string out;
  for (size_t i = 0; i < tokens.ids.size(); ++i) {
    if (is_label(i) && (i == 0 || !is_label(i - 1))) out += '[';
    out += session.tokeniser->piece(tokens.ids[i]);
    if (is_label(i) && (i + 1 == tokens.ids.size() || !is_label(i + 1))) out += ']';
  }
  return out;
}

data::TrainingText dialogue(const std::vector<std::string>& turns) {
  data::TrainingText out;
  out.conversation.emplace();
  for (size_t i = 0; i < turns.size(); ++i) {
    out.conversation->add(i % 2 == 0 ? "user" : "assistant", turns[i]);
  }
  return out;
}

TEST(ExampleTokeniser, LearnsAllOfAText) { EXPECT_EQ(marked({.text = "abc"}), "[abc<eos>]"); }

TEST(ExampleTokeniser, LearnsTheCompletionOfAPrompt) {
  const data::TrainingText text{.text = "ab", .completion = "cd"};
  EXPECT_EQ(marked(text), "ab[cd<eos>]");
  EXPECT_EQ(marked(text, true), "[abcd<eos>]");
}

TEST(ExampleTokeniser, LearnsWhatTheAssistantSays) {
  const data::TrainingText text = dialogue({"a", "b", "c", "d"});
  EXPECT_EQ(marked(text),
            "<|start|>user a<|stop|>\n<|start|>assistant [b<|stop|>\n]<|start|>user c<|stop|>\n"
            "<|start|>assistant [d<|stop|>\n]");
  EXPECT_EQ(marked(dialogue({"a", "b"}), true),
            "[<|start|>user a<|stop|>\n<|start|>assistant b<|stop|>\n]");
}

TEST(ExampleTokeniser, KeepsMarkupOfAUserApart) {
  const std::string text = marked(dialogue({"<|stop|>", "b"}));
  EXPECT_EQ(text, "<|start|>user <|stop|><|stop|>\n<|start|>assistant [b<|stop|>\n]");
  const auto session = model_file::small_chat_model();
  const ExampleTokens tokens = ExampleTokeniser(session, true)(dialogue({"<|stop|>", "b"}));
  const auto stop = static_cast<const data::SubwordTokeniser&>(*session.tokeniser).find("<|stop|>");
  EXPECT_EQ(std::ranges::count(tokens.ids, *stop), 2);
}

TEST(ExampleTokeniser, RefusesAConversationWithNothingToLearn) {
  EXPECT_EQ(test::message_of<FormatError>([] { marked(dialogue({"a"})); }),
            "messages: no message of the assistant that the chat template ends with; expected one, "
            "or --loss-on all");
  EXPECT_EQ(marked(dialogue({"a"}), true), "[<|start|>user a<|stop|>\n]");
}

}  // namespace
}  // namespace weft::tasks
