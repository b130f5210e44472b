// Every command that reads lines answers those of a pipe as they come, and gives the results of a
// file.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/e2e/translating.h"
#include "tests/model_file/small_language_model.h"
#include "tests/support/conversation.h"
#include "tests/support/small_models.h"

namespace weft::test {
namespace {

struct PipeCase {
  const char* name;
  std::vector<std::string> args;   // that name the model and what is printed
  std::string input;               // the option that names the input
  std::vector<std::string> parts;  // of the input, each with an answer of one line
};
void PrintTo(const PipeCase& c, std::ostream* out) { *out << c.name; }

class PipedLines : public testing::TestWithParam<PipeCase> {
 protected:
  PipedLines() {
    write_small_models(folder_);
    const auto language = model_file::small_language_model();
    model_file::save(folder_.path("language"), language, language.parameters);
    std::string all;
    for (const std::string& part : GetParam().parts) all += part;
    folder_.file("all", all);
  }
  std::vector<std::string> args(const std::string& input) const {
    std::vector<std::string> out = GetParam().args;
    out.insert(out.end(), {GetParam().input, input});
    return weft_command(out);
  }
  // What it answers to a file.
  std::vector<std::string> expected() const {
    const ProcessResult result = run_process(args("all"), {.folder = folder_.folder()});
    EXPECT_EQ(result.status, 0) << result.errors;
    return split_lines(result.output);
  }

  Scratch folder_;
};

TEST_P(PipedLines, AreAnsweredPartByPart) {
  const std::vector<std::string> lines = expected();
  const std::vector<std::string>& parts = GetParam().parts;
  ASSERT_EQ(lines.size(), parts.size());
  Conversation program(args("-"), folder_.folder());
  for (size_t i = 0; i < parts.size(); ++i) {
    program.say(parts[i]);
    ASSERT_EQ(program.answer(), lines[i]) << program.errors();
  }
  EXPECT_EQ(program.end(), 0) << program.errors();
}

TEST_P(PipedLines, AreAnsweredBeforeTheNextPartIsWhole) {
  const std::vector<std::string> lines = expected();
  const std::vector<std::string>& parts = GetParam().parts;
  const size_t half = parts[1].size() / 2;
  Conversation program(args("-"), folder_.folder());
  program.say(parts[0] + parts[1].substr(0, half));
  ASSERT_EQ(program.answer(), lines[0]) << program.errors();
  program.say(parts[1].substr(half) + parts[2]);
  EXPECT_EQ(program.answer(), lines[1]) << program.errors();
  EXPECT_EQ(program.answer(), lines[2]) << program.errors();
  EXPECT_EQ(program.end(), 0) << program.errors();
}

TEST_P(PipedLines, WithANameAreAnsweredPartByPart) {
  const std::vector<std::string> lines = expected();
  const std::string path = folder_.path("named");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int writer = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  Conversation program(args("named"), folder_.folder());
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& part = GetParam().parts[i];
    ASSERT_EQ(::write(writer, part.data(), part.size()), std::ssize(part));
    ASSERT_EQ(program.answer(), lines[i]) << program.errors();
  }
  ::close(writer);
  EXPECT_EQ(program.end(), 0) << program.errors();
}

std::vector<std::string> numbered(const std::string& suffix) {
  return {"0" + suffix + "\n", "1" + suffix + "\n", "2" + suffix + "\n"};
}
const std::vector<std::string> kTexts = {"w1 w2 w3\n", "\n", "w4\n", "w5 w6\n"};
const std::vector<std::string> kSentences = {"w1\t0\nw2\t1\n\n", "w3\t0\n\n", "w1\t0\nw4\t0\n\n"};
const std::vector<std::string> kPairs = {"0.png\t1.png\n", "2.png\t3.png\n", "1.png\t0.png\n"};

INSTANTIATE_TEST_SUITE_P(
    Commands, PipedLines,
    testing::Values(
        PipeCase{"translate", {"translate", "-m", "translator"}, "-i", kTexts},
        PipeCase{"stream", {"translate", "-m", "translator", "--stream"}, "-i", kTexts},
        PipeCase{"generateStream",
                 {"generate", "-m", "language", "--max-length", "5", "--stream"},
                 "-i",
                 kTexts},
        PipeCase{"classify", {"classify", "-m", "classifier", "--scores"}, "-i", kTexts},
        PipeCase{"embed", {"embed", "-m", "embedder"}, "-i", kTexts},
        PipeCase{
            "fill", {"fill", "-m", "masked"}, "-i", {"w1 [MASK]\n", "[MASK]\n", "[MASK] w2 w3\n"}},
        PipeCase{"generate",
                 {"generate", "-m", "language", "--temperature", "0", "--max-length", "5"},
                 "-i",
                 kTexts},
        PipeCase{"scoreTexts",
                 {"score", "-m", "language"},
                 "-t",
                 {"w1 w2 w3\n", "\n", "w4 w5\n", "w6 w7\n"}},
        PipeCase{"tag", {"tag", "-m", "tagger"}, "-i", kTexts},
        PipeCase{"tagColumns", {"tag", "-m", "tagger", "--format", "conll"}, "-i", kSentences},
        PipeCase{"tagTsv",
                 {"tag", "-m", "tagger", "--format", "tsv"},
                 "-i",
                 {"w1 w2\tx\n", "w3\ty\n", "w2\tx\n"}},
        PipeCase{"pictures", {"classify", "-m", "pictures", "--scores"}, "-i", numbered(".png")},
        PipeCase{"vectors", {"classify", "-m", "vectors", "--scores"}, "-i", numbered(".csv")},
        PipeCase{
            "detect", {"detect", "-m", "detector", "--threshold", "0"}, "-i", numbered(".png")},
        PipeCase{"transcribe",
                 {"transcribe", "-m", "transcriber", "--format", "json"},
                 "-i",
                 numbered(".wav")},
        PipeCase{"complete", {"complete", "-m", "completer"}, "-i", kPairs},
        PipeCase{"completeCrops",
                 {"complete", "-m", "completer", "--views", "crops"},
                 "-i",
                 numbered(".png")},
        PipeCase{"motion", {"motion", "-m", "motion"}, "-i", kPairs},
        PipeCase{"score",
                 {"score", "-m", "translator", "--tsv"},
                 "-t",
                 {"w1 w2\tw3\n", "w4\tw5 w6\n", "w7\tw8\n"}},
        PipeCase{"align",
                 {"score", "-m", "translator", "--alignment", "soft", "--tsv"},
                 "-t",
                 {"w1 w2\tw3\n", "w4\tw5 w6\n", "w7\tw8\n"}}),
    [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace weft::test
