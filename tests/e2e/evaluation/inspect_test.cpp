// weft inspect: what it prints, writes and refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/e2e/training.h"
#include "tests/e2e/translating.h"
#include "weft/train/file_lock.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class Inspect : public Translating {
 protected:
  Inspect() : Translating(6) {}
  nlohmann::json data() const { return nlohmann::json::parse(read_bytes(scratch_.path("data"))); }
};

TEST_F(Inspect, PrintsWhatIsInTheFile) {
  const ProcessResult result = run({"inspect", "-m", "model"});
  ASSERT_EQ(result.status, 0);
  for (const char* text :
       {"kind          seq2seq", ", correct\n", "vocab.source: word, 50 tokens",
        "no training state beside it", "model.encoder.layers.0..1", "  enc-depth: 2\n"}) {
    EXPECT_THAT(result.output, HasSubstr(text));
  }
  const ProcessResult json = run({"inspect", "-m", "model", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.output)["kind"], "seq2seq");
}

TEST_F(Inspect, KnowsTheTrainingBesideTheModel) {
  write_toy_text(scratch_);
  const auto train = toy_training(4, words_of("--valid-sets valid.src valid.trg --valid-freq 2u"));
  ASSERT_EQ(run(train).status, 0);
  const ProcessResult result = run({"inspect", "-m", "model.safetensors"});
  EXPECT_THAT(result.output, HasSubstr("training      4 updates, "));
  EXPECT_THAT(result.output, HasSubstr("best cross-entropy "));
}

TEST_F(Inspect, WritesOneExampleALine) {
  const ProcessResult result =
      run({"inspect", "-m", "model", "--html", "page", "--data", "data"}, text_);
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(data()["models"][0]["examples"].size(), 6u);
  EXPECT_THAT(read_bytes(scratch_.path("page")), HasSubstr("<!DOCTYPE html>"));
}

// The same bytes again, and with other threads.
TEST_F(Inspect, IsDeterministic) {
  ASSERT_EQ(run({"inspect", "-m", "model", "--data", "data", "--threads", "1"}, text_).status, 0);
  const std::string first = read_bytes(scratch_.path("data"));
  ASSERT_EQ(run({"inspect", "-m", "model", "--data", "data", "--threads", "2"}, text_).status, 0);
  EXPECT_EQ(read_bytes(scratch_.path("data")), first);
}

TEST_F(Inspect, ReadsAFirstPartOfManyLinesAndSaysSo) {
  const ProcessResult result =
      run({"inspect", "-m", "model", "--data", "data", "--max-examples", "2"}, text_);
  EXPECT_EQ(data()["models"][0]["examples"].size(), 2u);
  EXPECT_THAT(result.errors, HasSubstr("only the first 2 lines"));
}

TEST_F(Inspect, ShowsLinesThatAreNotUtf8AsEmpty) {
  const ProcessResult result =
      run({"inspect", "-m", "model", "--data", "data"}, "w1 \xff\nw2 w3\n");
  ASSERT_EQ(result.status, 0);
  EXPECT_THAT(result.errors, HasSubstr("line 1: not UTF-8"));
  EXPECT_EQ(data()["models"][0]["examples"][0]["input"], "");
  EXPECT_FALSE(data()["models"][0]["examples"][1]["attentions"].empty());
}

TEST_F(Inspect, PrintsWhatHeadsCost) {
  write_toy_text(scratch_);
  const ProcessResult result =
      run({"inspect", "-m", "model", "--ablate", "valid.src", "valid.trg"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("loss of the whole model: "));
  EXPECT_EQ(split_lines(result.output).size(), 3u + 24);
}

TEST_F(Inspect, DoesNotReplaceAModelThatATrainingWrites) {
  scratch_.file("busy.safetensors", "kept");
  const train::FileLock lock(scratch_.path("busy.safetensors.lock"));
  const std::vector<std::string> commands[] = {
      {"inspect", "-m", "model", "--html", "busy.safetensors"},
      {"quantize", "-m", "model", "-o", "busy.safetensors"},
      {"translate", "-m", "model", "-o", "busy.training.safetensors"}};
  for (const std::vector<std::string>& command : commands) {
    const ProcessResult result = run(command, text_);
    EXPECT_EQ(result.status, 1) << command.front();
    EXPECT_THAT(result.errors, HasSubstr(command.back() + ": another process is training"));
  }
  EXPECT_EQ(read_bytes(scratch_.path("busy.safetensors")), "kept");
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("busy.training.safetensors")));
}

TEST_F(Inspect, ReportsErrors) {
  scratch_.file("text", "no model\n");
  std::string damaged = read_bytes(scratch_.path("model"));
  damaged[damaged.size() - 9] = static_cast<char>(damaged[damaged.size() - 9] ^ 4);
  scratch_.file("damaged", damaged);
  const struct {
    std::vector<std::string> args;
    int status;
    std::string message;
  } cases[] = {
      {{"inspect"}, 2, "--model"},
      {{"inspect", "-m", "none"}, 1, "none: cannot be opened"},
      {{"inspect", "-m", "text"}, 1, "text:"},
      {{"inspect", "-m", "damaged"}, 1, "damaged: "},
      {{"inspect", "-m", "model", "model", "model"}, 2, "expected one model or two, got 3"},
      {{"inspect", "-m", "model", "--json", "--html", "x"}, 2, "--json: contradicts --html"},
      {{"inspect", "-m", "model", "--max-length", "9"}, 2, "without --html or --data"},
      {{"inspect", "-m", "model", "--label-field", "3"}, 2, "without --ablate"},
      {{"inspect", "-m", "model", "--ablate", "text"}, 2, "a source and a target file, got 1"},
      {{"inspect", "-m", "model", "--ablate", "text", "none"}, 1, "none: cannot be opened"},
      {{"inspect", "-m", "model", "--html", "no/folder/x"}, 1, "no/folder/x"},
      {{"inspect", "-m", "model", "--html", "model"}, 2, "--html"},
      {{"inspect", "-m", "model", "--html", "x"}, 1, "no lines; expected at least one example"},
  };
  for (const auto& c : cases) {
    const ProcessResult result = run(c.args);
    EXPECT_EQ(result.status, c.status) << c.message;
    EXPECT_THAT(result.errors, HasSubstr(c.message));
    EXPECT_FALSE(std::filesystem::exists(scratch_.path("x")));
  }
}

}  // namespace
}  // namespace weft::test
