// weft generate: continues prompts line by line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/e2e/translating.h"
#include "tests/model_file/small_language_model.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class Generate : public testing::Test {
 protected:
  Generate() {
    const auto session = model_file::small_language_model();
    model_file::save(folder_.path("m.safetensors"), session, session.parameters);
  }
  ProcessResult run(std::vector<std::string> args, const std::string& input = "") const {
    args.insert(args.begin(), {"generate", "-m", "m.safetensors"});
    return run_weft(std::move(args), {.input = input, .folder = folder_.folder()});
  }

  Scratch folder_;
};

TEST_F(Generate, ContinuesEachLine) {
  const std::string prompts = "w1 w2\n\nw3\n";
  const ProcessResult result = run({"--temperature", "0", "--max-length", "5"}, prompts);
  ASSERT_EQ(result.status, 0) << result.errors;
  const std::vector<std::string> lines = split_lines(result.output);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], testing::MatchesRegex("( w[0-9]+)+"));
  EXPECT_EQ(lines[1], "");
  EXPECT_THAT(result.errors, HasSubstr("continued 3 lines"));
  const std::vector<std::string> same[] = {
      {"--temperature", "0", "--max-length", "5", "--stream"},
      {"--temperature", "0", "--max-length", "5", "--mini-batch", "1"}};
  for (const auto& args : same) EXPECT_EQ(run(args, prompts).output, result.output);
  EXPECT_EQ(split_lines(run({"--samples", "2"}, prompts).output).size(), 6u);
  for (const char* precision : {"bfloat16", "int8", "int4"}) {
    EXPECT_EQ(run({"--precision", precision}, prompts).status, 0);
    EXPECT_EQ(run({"--cache-precision", precision}, prompts).status, precision[3] == '4' ? 2 : 0);
  }
}

TEST_F(Generate, NamesTheLineThatIsBeyondTheContext) {
  const ProcessResult result = run({"--max-length", "31"}, "w1\nw1 w2 w3\nw4\n");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(split_lines(result.output).size(), 3u);
  EXPECT_THAT(result.errors, HasSubstr("line 2: a prompt of 3 tokens and --max-length 31; the "
                                       "context of the model is 32 tokens"));
}

TEST_F(Generate, RefusesOptionsThatContradictEachOther) {
  EXPECT_THAT(run({"--stream", "--samples", "2"}).errors, HasSubstr("--stream: contradicts"));
  EXPECT_EQ(run({"--beam-size", "2"}).status, 2);
  EXPECT_THAT(run({"--top-logprobs", "2"}).errors, HasSubstr("--top-logprobs: needs --json"));
}

TEST_F(Generate, NeverWritesOverAModel) {
  const std::string before = read_bytes(folder_.path("m.safetensors"));
  EXPECT_THAT(run({"-o", "m.safetensors"}, "w1\n").errors,
              HasSubstr("--output: would overwrite m.safetensors"));
  folder_.file("d.safetensors", before);
  EXPECT_EQ(run({"--draft", "d.safetensors", "-o", "d.safetensors"}, "w1\n").status, 2);
  EXPECT_EQ(read_bytes(folder_.path("m.safetensors")), before);
  EXPECT_EQ(read_bytes(folder_.path("d.safetensors")), before);
}

TEST_F(Generate, ExpectsTheFileOfAModel) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"generate"}, {"score"}, {"bench", "generate"}}) {
    std::vector<std::string> args = command;
    args.emplace_back("-m");
    EXPECT_THAT(run_weft(args).errors, HasSubstr("-m: no value; expected the path of a file"));
  }
}

TEST_F(Generate, ListsTheMostProbableTokensAsJson) {
  const ProcessResult result =
      run({"--json", "--top-logprobs", "2", "--temperature", "0", "--max-length", "3"}, "w1 w2\n");
  ASSERT_EQ(result.status, 0) << result.errors;
  const auto line = nlohmann::json::parse(result.output);
  const auto& steps = line.at("top_logprobs");
  ASSERT_EQ(steps.size(), line.at("completion_tokens"));
  double sum = 0;
  std::string text;
  for (const auto& tokens : steps) {
    ASSERT_EQ(tokens.size(), 2u);
    sum += tokens[0].at("logprob").get<double>();
    text += tokens[0].at("token").get<std::string>();
    EXPECT_GE(tokens[0].at("logprob"), tokens[1].at("logprob"));
  }
  EXPECT_NEAR(sum, line.at("log_probability").get<double>(), 1e-9);
  EXPECT_THAT(text, testing::StartsWith(line.at("text").get<std::string>()));
}

// A line break in a default would break the table of options.
TEST_F(Generate, HasHelpOfWholeLines) {
  EXPECT_THAT(run({"--help"}).output, HasSubstr("asterisk (\\n : \" *)"));
}

TEST_F(Generate, RefusesModelsOfOtherKinds) {
  write_toy_text(folder_);
  const ProcessOptions here{.folder = folder_.folder()};
  ASSERT_EQ(run_weft(toy_training(1, {}), here).status, 0);
  const ProcessResult result = run_weft({"generate", "-m", "model.safetensors"}, here);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("a model of type 'seq2seq'; expected language-model"));
}

// What other commands do with such a file.
TEST_F(Generate, HasModelsThatAreInspectedQuantisedAndAveraged) {
  const ProcessOptions here{.folder = folder_.folder()};
  const ProcessResult summary = run_weft({"inspect", "-m", "m.safetensors"}, here);
  ASSERT_EQ(summary.status, 0) << summary.errors;
  EXPECT_THAT(summary.output, HasSubstr("language-model"));
  EXPECT_EQ(run_weft({"quantize", "-m", "m.safetensors", "-o", "q.safetensors"}, here).status, 0);
  EXPECT_EQ(run_weft({"generate", "-m", "q.safetensors"}, here).status, 0);
  EXPECT_EQ(
      run_weft({"average", "m.safetensors", "m.safetensors", "-o", "a.safetensors"}, here).status,
      0);
  const ProcessResult page =
      run_weft({"inspect", "-m", "m.safetensors", "--html", "a.html", "--max-continuation", "5"},
               {.input = "w1\n", .folder = folder_.folder()});
  EXPECT_EQ(page.status, 0) << page.errors;
  EXPECT_THAT(read_bytes(folder_.path("a.html")), HasSubstr("attributions"));
}

TEST_F(Generate, IsMeasured) {
  const auto bench = [&](std::vector<std::string> more) {
    std::vector<std::string> args = {"bench", "generate", "-m",        "m.safetensors",
                                     "-p",    "9",        "--repeats", "2"};
    args.insert(args.end(), more.begin(), more.end());
    return run_weft(std::move(args), {.folder = folder_.folder()});
  };
  const ProcessResult result = bench({"-n", "7", "--streams", "3", "--json", "out.json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("continuations"));
  const auto figures = nlohmann::json::parse(read_bytes(folder_.path("out.json")));
  EXPECT_EQ(figures.at("prompt_length"), 9);
  EXPECT_EQ(figures.at("streams"), 3);
  EXPECT_EQ(figures.at("cache_precision"), "auto");
  for (const char* speed : {"prompt_tokens_per_s", "tokens_per_s"}) {
    EXPECT_GT(figures.at(speed).at("median"), 0.0) << speed;
    EXPECT_GE(figures.at(speed).at("best"), figures.at(speed).at("median")) << speed;
  }
  EXPECT_LE(figures.at("memory_mb").at("loaded"), figures.at("memory_mb").at("peak"));
  EXPECT_GT(figures.at("memory_mb").at("cache"), 0.0);
  EXPECT_THAT(bench({"-n", "1"}).output, Not(HasSubstr("continuations")));
  EXPECT_THAT(bench({"-n", "24"}).errors,
              HasSubstr("--prompt-length: 9 and --max-length 24 exceed the context of the model, "
                        "32 tokens"));
}

}  // namespace
}  // namespace weft::test
