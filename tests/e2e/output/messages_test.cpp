// Messages on standard error and in the log, and exit statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/support/conversation.h"
#include "tests/support/scratch.h"
#include "tests/support/small_models.h"
#include "tests/tasks/labels/toy_pictures.h"
#include "weft/core/files/checksum.h"
#include "weft/formats/safetensors.h"

namespace weft::test {
namespace {

using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class Messages : public testing::Test {
 protected:
  Messages() { write_toy_text(folder_); }
  ProcessResult run(const std::vector<std::string>& args) const {
    return run_weft(args, {.folder = folder_.folder()});
  }

  Scratch folder_;
};

TEST_F(Messages, AreNoneOnSuccessWithQuiet) {
  const char* commands[] = {
      "train -t train.src train.trg -v src.model trg.model --dim-vocabs 40 -m model.safetensors "
      "--enc-depth 1 --dec-depth 1 --dim-emb 16 --transformer-heads 2 --transformer-dim-ffn 32 "
      "--transformer-norm post --lr-warmup 2 --after 4u --disp-freq 1u --valid-freq 2u "
      "--valid-sets valid.src valid.trg --valid-metrics bleu",
      "score -m model.safetensors -t valid.src valid.trg",
      "quantize -m model.safetensors -o small.safetensors",
      "convert -m model.safetensors --to-hf hf",
      "convert --from-hf hf -o back.safetensors",
      "evaluate -r valid.src -i valid.src"};
  for (const std::string command : commands) {
    const ProcessResult result = run(words_of(command + " --quiet"));
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_EQ(result.errors, "") << command;
  }
}

TEST_F(Messages, ReportALogThatCannotBeWrittenOnce) {
  const ProcessResult result = run(toy_training(20, {"--quiet", "--log", "/dev/full"}));
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.errors, "weft: --log: cannot write /dev/full: No space left on device\n");
  EXPECT_TRUE(std::filesystem::exists(folder_.path("model.safetensors")));
  const ProcessResult refused =
      run(toy_training(20, {"--quiet", "--log", "/dev/full", "--label-smoothing", "0.3"}));
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("weft: --log: cannot write /dev/full"));
  EXPECT_THAT(refused.errors, HasSubstr("weft: model.training.safetensors: training began with"));
}

TEST_F(Messages, AreAlsoLogged) {
  ASSERT_EQ(run(toy_training(2, {"--quiet", "--log", "log"})).status, 0);
  EXPECT_EQ(run(toy_training(3, {"--log", "log", "--label-smoothing", "0.3"})).status, 2);
  const std::string log = read_bytes(folder_.path("log"));
  EXPECT_THAT(log, HasSubstr("training finished at update 2\n"));
  EXPECT_THAT(log, HasSubstr("error: model.training.safetensors: training began with"));
}

TEST_F(Messages, RecordStartModelEndAndReasonInTheLog) {
  write_small_models(folder_);
  const auto log_of = [&](const std::string& command) {
    const ProcessResult result = run(words_of(command + " --quiet --log log"));
    EXPECT_THAT(result.errors, Not(HasSubstr("started")));
    const std::string log = read_bytes(folder_.path("log"));
    std::filesystem::remove(folder_.path("log"));
    return log;
  };
  EXPECT_THAT(log_of("translate -m translator -i valid.src"),
              ContainsRegex("started: weft [0-9.]+, translate -m translator -i valid.src "
                            "--quiet --log log\n.*model: translator, checksum [0-9a-f]+\n"));
  EXPECT_THAT(log_of("translate -m translator -i valid.src"), EndsWith("ended: done, status 0\n"));
  EXPECT_THAT(log_of("classify -m translator"),
              ContainsRegex("error: translator: is a model of .*\n.*ended: an error, status 1\n"));
}

TEST_F(Messages, RecordTheChecksumsOfAllModelsInTheLog) {
  write_small_models(folder_);
  folder_.file("gguf", "bytes");
  std::filesystem::create_directory(folder_.path("folder"));
  folder_.file("folder/b", "bytes of b");
  folder_.file("folder/a", "bytes of a, ");
  folder_.file("folder/.hidden", "others");
  const auto line_of = [](const std::string& option, const std::string& checksum) {
    return "] " + option + ", checksum " + checksum + "\n";
  };
  const auto digits_of = [](const std::string& bytes) {
    return formats::checksum_digits(checksum_of(bytes.data(), bytes.size()));
  };
  const std::string own = formats::SafetensorsFile(folder_.path("translator")).checksum();
  const std::string of_file = digits_of("bytes");
  const std::string of_folder = digits_of("bytes of a, bytes of b");
  const struct {
    const char* command;
    std::vector<std::string> lines;
  } cases[] = {
      {"generate -m folder --draft gguf --lora translator",
       {line_of("model: folder", of_folder), line_of("draft: gguf", of_file),
        line_of("lora: translator", own)}},
      {"train translation -t none -m new --from translator",
       {line_of("model: new", "none yet"), line_of("from: translator", own)}},
      {"train classification -t none -v v -m new --pretrained-model gguf --teacher translator",
       {line_of("pretrained-model: gguf", of_file), line_of("teacher: translator", own)}},
      {"convert --from-hf folder -o new", {line_of("from-hf: folder", of_folder)}},
      {"convert --from-gguf gguf -o new", {line_of("from-gguf: gguf", of_file)}},
  };
  for (const auto& [command, lines] : cases) {
    SCOPED_TRACE(command);
    run(words_of(command + std::string(" --log log")));
    const std::string log = read_bytes(folder_.path("log"));
    for (const std::string& line : lines) EXPECT_THAT(log, HasSubstr(line));
    std::filesystem::remove(folder_.path("log"));
  }
  run(words_of("generate -m missing --draft prompt --log log"));
  EXPECT_THAT(read_bytes(folder_.path("log")), Not(HasSubstr(", checksum ")));
}

TEST_F(Messages, RecordTheSignalThatEndsTheProgramInTheLog) {
  write_small_models(folder_);
  Conversation program(weft_command({"translate", "-m", "translator", "--log", "log"}),
                       folder_.folder());
  program.say("w1\n");
  ASSERT_TRUE(program.answer());
  program.send(SIGTERM);
  EXPECT_FALSE(program.answer());
  EXPECT_EQ(program.end(), -1);
  EXPECT_THAT(read_bytes(folder_.path("log")), EndsWith("ended: stopped by signal 15\n"));
}

// A file's name cannot take hold of the terminal.
TEST_F(Messages, EscapeWhatATerminalWouldObey) {
  const ProcessResult error = run({"classify", "-m", "a\x1b[2J\n\xff"});
  EXPECT_EQ(error.status, 1);
  EXPECT_THAT(error.errors, HasSubstr("weft: a\\x1b[2J\\n\xEF\xBF\xBD: cannot be opened"));
  write_toy_pictures(folder_);
  folder_.file("train.tsv", pictures_text(1, 6));
  ASSERT_EQ(run(words_of("train classification --input image -t train.tsv -m m --patch-size 4 "
                         "--dim-emb 16 --transformer-heads 2 --enc-depth 1 --after 1u"))
                .status,
            0);
  const ProcessResult warning =
      run_weft({"classify", "-m", "m"}, {.input = "a\x1b[2J\n", .folder = folder_.folder()});
  EXPECT_THAT(warning.errors, HasSubstr("warning: line 1: a\\x1b[2J: "));
}

}  // namespace
}  // namespace weft::test
