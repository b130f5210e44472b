#include "weft/predict/generation/prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::predict {
namespace {

using data::ChatJson;
using testing::HasSubstr;

Prompt of_json(const std::string& line, const JsonPromptOptions& options = {}) {
  return json_prompt({.text = line}, options);
}

TEST(JsonPrompt, IsATextOrAConversation) {
  EXPECT_EQ(of_json(R"({"prompt": "a\nb"})").text, "a\nb");
  const ChatJson messages = {{{"role", "user"}, {"content", "a"}}};
  for (const std::string& line : {messages.dump(), ChatJson{{"messages", messages}}.dump()}) {
    const Prompt prompt = of_json(line);
    ASSERT_TRUE(prompt.conversation) << line;
    EXPECT_EQ(prompt.conversation->messages, messages);
  }
  const Prompt more =
      of_json(R"({"messages": [{"role": "user"}], "tools": [], "chat_template_kwargs": {"x": 1}})");
  EXPECT_EQ(more.conversation->variables, (ChatJson{{"tools", ChatJson::array()}, {"x", 1}}));
}

TEST(JsonPrompt, BeginsWithWhatTheSystemSays) {
  const JsonPromptOptions options{.chat = true, .system = "s"};
  const auto roles = [&](const std::string& line) {
    std::string out;
    const Prompt prompt = of_json(line, options);
    for (const ChatJson& m : prompt.conversation->messages) {
      out += m["role"].get<std::string>() + ":" + m["content"].get<std::string>() + " ";
    }
    return out;
  };
  EXPECT_EQ(roles(R"({"prompt": "a"})"), "system:s user:a ");
  EXPECT_EQ(roles(R"([{"role": "user", "content": "a"}])"), "system:s user:a ");
  EXPECT_EQ(roles(R"([{"role": "system", "content": "t"}])"), "system:t ");
}

TEST(JsonPrompt, HasAFaultThatSaysWhatIsWrong) {
  const std::pair<std::string, const char*> cases[] = {
      {"{", "JSON: no JSON at byte 2"},
      {"7", "expected an object with prompt or messages, one of them, or a list"},
      {R"({"prompt": "a", "messages": []})", "one of them"},
      {R"({"prompt": 7})", "expected nothing but prompt, a text, and completion"},
      {R"({"messages": []})", "messages: expected a list of messages"},
      {R"([{"role": "user", "content": "a"}, {"content": "b"}])",
       "messages: message 2: expected an object with a role"},
      {R"([{"role": "user", "content": 1}])",
       "message 1: content: expected a text or a list of objects"},
      {R"({"messages": [{"role": "user"}], "mesages": 1})", "field 'mesages' is not supported"},
      {R"({"messages": [{"role": "user"}], "tools": 1})", "tools: expected a list"},
      {std::string(100, '['), "more than 64 levels"},
      {R"({"prompt": 1e999})", "JSON: a number is too large; expected one of 64 bits"},
  };
  for (const auto& [line, message] : cases) {
    const Prompt prompt = of_json(line);
    ASSERT_TRUE(prompt.fault) << line;
    EXPECT_EQ(prompt.fault->kind, FaultKind::kUnreadable);
    EXPECT_THAT(prompt.fault->reason, HasSubstr(message));
  }
  EXPECT_EQ(of_json(R"({"prompt": "a", "completion": "b"})").text, "a");
  EXPECT_TRUE(of_json(R"({"prompt": "a", "complexion": "b"})").fault);
  EXPECT_EQ(of_json("  ").fault->kind, FaultKind::kEmpty);
  EXPECT_EQ(of_json("\xFF").fault->kind, FaultKind::kNotUtf8);
}

}  // namespace
}  // namespace weft::predict
