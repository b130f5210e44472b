// Outputs that would be written over a file that is read through a list or a folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/tasks/labels/toy_pictures.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class OutputFiles : public testing::Test {
 protected:
  OutputFiles() { write_toy_pictures(folder_); }
  ProcessResult run(const std::string& args, const std::string& input = "") const {
    return run_weft(words_of(args), {.input = input, .folder = folder_.folder()});
  }

  Scratch folder_;
};

TEST_F(OutputFiles, OfATrainingAreNoPicturesThatItReads) {
  folder_.file("train.tsv", pictures_text(1, 20) + "class0\tpictures/0_0.png\n");
  const std::string picture = read_bytes(folder_.path("pictures/0_0.png"));
  const std::string training =
      "train classification --input image -t train.tsv --enc-depth 1 --dim-emb 8 "
      "--transformer-heads 2 --transformer-dim-ffn 8 --after 1u ";
  const std::string overwritten =
      ": would overwrite pictures/../pictures/0_0.png, which is an input; expected another file";
  const struct {
    const char* args;
    std::string message;
  } cases[] = {
      {"-m m --metrics pictures/../pictures/0_0.png --overwrite", "--metrics" + overwritten},
      {"-m m --profile-trace pictures/../pictures/0_0.png", "--profile-trace" + overwritten},
      {"-m pictures/../pictures/0_0.png --overwrite", "--model" + overwritten},
      {"-m m --log pictures/0_0.png",
       "--log: pictures/0_0.png has no line of a log; expected a log or a new file"},
  };
  for (const auto& c : cases) {
    const ProcessResult result = run(training + c.args);
    EXPECT_EQ(result.status, 2) << c.args << "\n" << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(c.message)) << c.args;
    EXPECT_EQ(read_bytes(folder_.path("pictures/0_0.png")), picture) << c.args;
    EXPECT_FALSE(std::filesystem::exists(folder_.path("m"))) << c.args;
  }
  const ProcessResult result = run(training + "-m m --log log --metrics metrics");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(run(training + "-m m --log log --metrics metrics").status, 0);
  const ProcessResult shown = run("inspect -m m --html pictures/0_0.png", "pictures/0_0.png\n");
  EXPECT_EQ(shown.status, 2) << shown.errors;
  EXPECT_THAT(shown.errors,
              HasSubstr("--html: would overwrite pictures/0_0.png, which is an input"));
  EXPECT_EQ(read_bytes(folder_.path("pictures/0_0.png")), picture);
}

}  // namespace
}  // namespace weft::test
