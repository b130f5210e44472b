// weft generate: conversations, from files and in the terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/program.h"
#include "tests/e2e/translating.h"
#include "tests/model_file/small_chat_model.h"
#include "tests/support/scratch.h"
#include "tests/support/terminal.h"
#include "weft/core/text/escapes.h"

namespace weft::test {
namespace {

using ChatAnswer = nlohmann::json;
using testing::HasSubstr;

class Chat : public testing::Test {
 protected:
  Chat() { save(model_file::small_chat_model()); }

  void save(const model_file::LanguageModelSession& session) {
    model_file::save(folder_.path("m.safetensors"), session, session.parameters);
  }
  static std::vector<std::string> command(std::vector<std::string> more) {
    std::vector<std::string> all = {"generate", "-m", "m.safetensors", "--max-length", "9"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  ProcessResult run(std::vector<std::string> more, const std::string& input = "") const {
    more.insert(more.end(), {"--temperature", "0"});
    return run_weft(command(std::move(more)), {.input = input, .folder = folder_.folder()});
  }

  Scratch folder_;
};

TEST_F(Chat, PutsLinesIntoTheTemplate) {
  const ProcessResult chat = run({"--chat", "--system", "be kind"}, "abc\n\nde\n");
  ASSERT_EQ(chat.status, 0) << chat.errors;
  EXPECT_EQ(split_lines(chat.output).size(), 3u);
  const std::string lines =
      R"([{"role": "system", "content": "be kind"}, {"role": "user", "content": "abc"}])"
      "\n\n"
      R"({"messages": [{"role": "system", "content": "be kind"},)"
      R"( {"role": "user", "content": "de"}]})"
      "\n";
  EXPECT_EQ(run({"--format", "jsonl"}, lines).output, chat.output);
  folder_.file("lines.jsonl", lines);
  EXPECT_EQ(run({"-i", "lines.jsonl"}).output, chat.output);
  EXPECT_EQ(run({"--chat", "--system", "be kind", "--stream"}, "abc\n\nde\n").output, chat.output);
  EXPECT_NE(run({}, "abc\n\nde\n").output, chat.output);
}

TEST_F(Chat, WritesALineForEachLineAndNamesTheFirstFault) {
  const ProcessResult result = run({"--format", "jsonl", "--json"},
                                   "{\"prompt\": \"abc\"}\n{\"prompt\n"
                                   "[{\"role\": \"robot\", \"content\": \"a\"}]\n");
  EXPECT_EQ(result.status, 1);
  const std::vector<std::string> lines = split_lines(result.output);
  ASSERT_EQ(lines.size(), 3u);
  const ChatAnswer first = ChatAnswer::parse(lines[0]);
  EXPECT_EQ(first["prompt_tokens"], 3);
  EXPECT_EQ(first["finish_reason"], "length");
  EXPECT_EQ(first["completion_tokens"], 9);
  EXPECT_LT(first["log_probability"], 0);
  EXPECT_EQ(run({}, "abc\n").output, escaped(first["text"].get<std::string>()) + "\n");
  EXPECT_THAT(ChatAnswer::parse(lines[1])["error"], HasSubstr("no JSON at byte"));
  EXPECT_THAT(ChatAnswer::parse(lines[2])["error"],
              HasSubstr("m.safetensors: chat_template: line 1, column"));
  EXPECT_THAT(result.errors, HasSubstr("the first fault is in line 2: JSON: no JSON"));
}

TEST_F(Chat, ReadsADocumentAsOnePrompt) {
  const ProcessResult document = run({"--format", "document", "--json"}, "ab\ncd\n");
  ASSERT_EQ(document.status, 0) << document.errors;
  EXPECT_EQ(ChatAnswer::parse(document.output)["prompt_tokens"], 5);
  EXPECT_THAT(document.errors, HasSubstr("continued 1 document"));
  EXPECT_EQ(run({"--format", "jsonl", "--json"}, "{\"prompt\": \"ab\\ncd\"}\n").output,
            document.output);
}

TEST_F(Chat, RefusesATemplateOnlyWhereItIsNeeded) {
  model_file::LanguageModelSession session = model_file::small_chat_model();
  session.chat_templates.set("default", "{% if %}");
  save(session);
  EXPECT_EQ(run({}, "a\n").status, 0);
  const ProcessResult chat = run({"--chat"}, "a\n");
  EXPECT_EQ(chat.status, 1);
  EXPECT_THAT(chat.errors, HasSubstr("m.safetensors: chat_template: line 1, column 7: expected"));
  session.chat_templates = {};
  save(session);
  EXPECT_THAT(run({"--interactive"}).errors, HasSubstr("the model has no chat template"));
}

TEST_F(Chat, RefusesOptionsThatContradictEachOther) {
  EXPECT_THAT(run({"--system", "x"}).errors, HasSubstr("--system: needs --chat"));
  EXPECT_THAT(run({"--json", "--stream"}).errors, HasSubstr("--stream: contradicts --json"));
  EXPECT_THAT(run({"--interactive", "--json"}).errors, HasSubstr("--json"));
  EXPECT_EQ(run({"--format", "xml"}).status, 2);
}

// Of a pipe, without prompts: the answers alone.
TEST_F(Chat, ConversesThroughAPipe) {
  const ProcessResult result = run({"--interactive"}, "abc\n/clear\nabc\n/exit\nabc\n");
  ASSERT_EQ(result.status, 0) << result.errors;
  const ChatAnswer answer = ChatAnswer::parse(run({"--chat", "--json"}, "abc\n").output);
  const std::string text = answer["text"].get<std::string>() + "\n";
  EXPECT_EQ(result.output, text + text);
}

TEST_F(Chat, GoesOnWithoutTheOldestMessagesWhereTheContextIsFull) {
  const std::string lines = "abc\nabc\nabc\nabc\nabc\nabc\nabc\nabc\n";
  const ProcessResult full = run({"--interactive"}, lines);
  EXPECT_THAT(full.errors, HasSubstr("--context-shift its oldest messages"));
  const ProcessResult shifting = run({"--interactive", "--context-shift"}, lines);
  EXPECT_EQ(shifting.status, 0);
  EXPECT_THAT(shifting.errors, HasSubstr("the conversation goes on without its first "));
  EXPECT_THAT(shifting.errors, testing::Not(HasSubstr("no answer")));
  EXPECT_EQ(run({"--interactive", "--context-shift", "--keep", "3"}, lines).status, 2);
}

TEST_F(Chat, ConversesInATerminal) {
  Terminal terminal(weft_command(command({"--interactive", "--temperature", "0"})),
                    folder_.folder());
  ASSERT_TRUE(terminal.shows(">>> "));
  terminal.type("/help\n");
  ASSERT_TRUE(terminal.shows("/clear")) << terminal.screen();
  ASSERT_TRUE(terminal.shows(">>> "));
  terminal.type("abc\n");
  ASSERT_TRUE(terminal.shows("cut off at 9 tokens")) << terminal.screen();
  ASSERT_TRUE(terminal.shows(">>> "));
  terminal.type(std::string(300, 'a') + "\n");
  ASSERT_TRUE(terminal.shows("/clear forgets the conversation")) << terminal.screen();
  ASSERT_TRUE(terminal.shows(">>> "));
  terminal.type("/frob\n");
  ASSERT_TRUE(terminal.shows("'/frob' is no command"));
  ASSERT_TRUE(terminal.shows(">>> "));
  terminal.type("\x04");
  EXPECT_EQ(terminal.end(), 0);
}

// The answer is longer than what a terminal holds that no one reads.
TEST_F(Chat, StopsTheAnswerAndThenEnds) {
  save(model_file::small_chat_model(20'000));
  std::vector<std::string> args = {"generate",      "-m", "m.safetensors", "--interactive",
                                   "--temperature", "0",  "--max-length",  "19000"};
  Terminal terminal(weft_command(args), folder_.folder());
  ASSERT_TRUE(terminal.shows(">>> "));
  terminal.type("abc\n");
  ASSERT_TRUE(terminal.shows("abc\r\n"));
  ASSERT_TRUE(terminal.read_more());
  terminal.type("\x03");
  ASSERT_TRUE(terminal.shows(">>> ")) << terminal.screen();
  EXPECT_THAT(terminal.screen(), testing::Not(HasSubstr("cut off")));
  terminal.type("\x03");
  EXPECT_EQ(terminal.end(), 0);
  EXPECT_THAT(terminal.screen(), testing::Not(HasSubstr("Ctrl-C again")));
}

TEST_F(Chat, EndsAtTheSecondInterruptOfAPrompt) {
  Terminal terminal(weft_command(command({"--interactive"})), folder_.folder());
  ASSERT_TRUE(terminal.shows(">>> "));
  terminal.type("\x03");
  ASSERT_TRUE(terminal.shows("Ctrl-C again")) << terminal.screen();
  ASSERT_TRUE(terminal.shows(">>> "));
  terminal.type("\x03");
  EXPECT_EQ(terminal.end(), 0);
}

}  // namespace
}  // namespace weft::test
