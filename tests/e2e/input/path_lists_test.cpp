// Lists of paths with lines that name no file: N lines in, N results out, the right ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/training.h"
#include "tests/e2e/translating.h"
#include "tests/support/small_models.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

struct PathCommand {
  const char* name;
  std::vector<std::string> args;
  std::string suffix;  // of the examples that it reads
};
void PrintTo(const PathCommand& command, std::ostream* out) { *out << command.name; }

class PathLists : public testing::TestWithParam<PathCommand> {
 protected:
  PathLists() { write_small_models(folder_); }
  std::string path(int example) const { return std::to_string(example) + GetParam().suffix; }
  ProcessResult run(const std::string& input, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> args = GetParam().args;
    args.insert(args.end(), more.begin(), more.end());
    return run_weft(args, {.input = input, .folder = folder_.folder()});
  }
  std::vector<std::string> lines(const std::string& input) const {
    const ProcessResult result = run(input);
    EXPECT_EQ(result.status, 0) << result.errors;
    return split_lines(result.output);
  }

  Scratch folder_;
};

TEST_P(PathLists, WithZeroBytesHaveTheResultsOfTheOtherLines) {
  const std::string zero(1, '\0');
  const std::string input = zero + "\n" + path(0) + "\n" + path(1) + zero + "\n" + path(1) + "\n";
  const ProcessResult result = run(input, {"--strict"});
  EXPECT_EQ(result.status, 1) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("line 1: '\\x00': has a zero byte; expected a path"));
  EXPECT_THAT(result.errors, HasSubstr("line 3: '" + path(1) + "\\x00': has a zero byte"));
  EXPECT_THAT(result.errors, HasSubstr("4 lines: 2 that cannot be read"));
  const std::vector<std::string> expected = lines(path(0) + "\n" + path(1) + "\n");
  const std::vector<std::string> found = split_lines(result.output);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[1], expected[0]);
  EXPECT_EQ(found[3], expected[1]);
}

TEST_P(PathLists, InUtf16AreReadAsInUtf8) {
  std::string bytes = "\xFF\xFE";
  for (const char c : path(0) + "\r\n" + path(1) + "\r\n") bytes += {c, '\0'};
  EXPECT_EQ(lines(bytes), lines(path(0) + "\n" + path(1) + "\n"));
}

TEST_P(PathLists, MayBeAFileOrAFolderInstead) {
  std::filesystem::create_directories(folder_.path("folder/deeper"));
  for (const std::string& name : {path(0), "deeper/" + path(1)}) {
    std::filesystem::copy_file(folder_.path(name.substr(name.find('/') + 1)),
                               folder_.path("folder/" + name));
  }
  folder_.file("folder/Thumbs.db", std::string("\xD0\xCF\x11\xE0\0", 5));
  const ProcessResult one = run("", {"-i", path(0)});
  EXPECT_EQ(one.status, 0) << one.errors;
  EXPECT_EQ(split_lines(one.output), lines(path(0) + "\n"));
  const ProcessResult all = run("", {"-i", "folder"});
  EXPECT_EQ(all.status, 0) << all.errors;
  EXPECT_EQ(split_lines(all.output),
            lines("folder/" + path(0) + "\nfolder/deeper/" + path(1) + "\n"));
  EXPECT_THAT(all.errors, HasSubstr("warning: folder: left out 1 file of other kinds than "));
  EXPECT_THAT(all.errors, HasSubstr("the first is folder/Thumbs.db"));
}

TEST_P(PathLists, AreNoFilesOfAnotherKind) {
  const std::string other = GetParam().suffix == ".wav" ? "0.png" : "0.wav";
  const ProcessResult result = run("", {"-i", other});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.errors,
              HasSubstr(other + ": is a " + (other == "0.png" ? "picture" : "sound") +
                        "; expected a list of paths, one a line"));
  EXPECT_EQ(run(read_bytes(folder_.path(other))).status, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Commands, PathLists,
    testing::Values(PathCommand{"pictures", {"classify", "-m", "pictures", "--scores"}, ".png"},
                    PathCommand{"vectors", {"classify", "-m", "vectors", "--scores"}, ".csv"},
                    PathCommand{"boxes", {"detect", "-m", "detector", "--threshold", "0"}, ".png"},
                    PathCommand{"sounds", {"transcribe", "-m", "transcriber"}, ".wav"}),
    [](const auto& c) { return c.param.name; });

TEST(ViewInputs, AreListsPicturesAndFolders) {
  const Scratch folder;
  write_small_models(folder);
  const auto run = [&](const std::string& args) {
    return run_weft(words_of("complete -m completer " + args), {.folder = folder.folder()});
  };
  folder.file("list", "0.png\n");
  const ProcessResult listed = run("--views crops -i list"), one = run("--views crops -i 0.png");
  EXPECT_EQ(one.status, 0) << one.errors;
  EXPECT_EQ(one.output, listed.output);
  for (const std::string input : {"0.png", "."}) {
    const ProcessResult refused = run("-i " + input);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.errors, HasSubstr("expected a list of pairs; hint: --views crops"));
  }
}

TEST(ClassificationTraining, NamesTheInputThatWasForgotten) {
  const Scratch folder;
  write_small_models(folder);
  folder.file("pictures.tsv", "x\t0.png\ny\t1.png\n");
  folder.file("vectors.tsv", "x\t0.csv\ny\t1.csv\n");
  folder.file("idx", std::string("\0\0\x08\x03\0\0\0\0\0\0\0\x01\0\0\0\x01", 16));
  const struct {
    const char *sets, *message;
  } cases[] = {
      {".", ". is a folder; expected labelled text; hint: --input image"},
      {"pictures.tsv", "pictures.tsv lists pictures; expected labelled text; hint: --input image"},
      {"idx idx",
       "idx has pictures of the MNIST form; expected labelled text; hint: --input image"},
      {"vectors.tsv", "vectors.tsv lists vectors; expected labelled text; hint: --input features"}};
  for (const auto& c : cases) {
    const ProcessResult result =
        run_weft(words_of("train classification -m m -t " + std::string(c.sets)),
                 {.folder = folder.folder()});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.errors, HasSubstr("--train-sets: " + std::string(c.message)));
  }
}

}  // namespace
}  // namespace weft::test
