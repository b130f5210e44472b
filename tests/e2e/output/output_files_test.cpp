// Outputs that would be written over a file that is read through a list or a folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/e2e/translating.h"
#include "tests/support/small_models.h"
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
  folder_.file("list", "pictures/0_1.png\npictures/0_0.png\n");
  const ProcessResult labelled = run("classify -m m -i list -o pictures/0_0.png");
  EXPECT_EQ(labelled.status, 2) << labelled.errors;
  EXPECT_THAT(labelled.errors, HasSubstr("--output: would overwrite pictures/0_0.png, which is "));
  EXPECT_EQ(read_bytes(folder_.path("pictures/0_0.png")), picture);
}

TEST_F(OutputFiles, OfDetectAndCompleteAreNoPicturesThatTheyRead) {
  const std::string small =
      " --enc-depth 1 --dec-depth 1 --dim-emb 8 --transformer-heads 2 --transformer-dim-ffn 8 "
      "--patch-size 4 --after 1u";
  const auto picture = [](int number) { return data::encode_png(toy_picture(0, number)); };
  const std::string image = R"({"image": "b.png", "boxes": [{"label": "x", "box": [0, 0, 4, 4]}]})";
  const std::string long_name = std::string(119, 'n') + std::string(65, 'n') + "\xC3\xA4" +
                                std::string(65, 'n');  // 251 bytes
  for (const std::string& name :
       {std::string("1.png"), std::string("2_b.png"), std::string("b.png"), long_name + ".png"}) {
    folder_.file(name, picture(static_cast<int>(name.size())));
  }
  folder_.file("boxes.jsonl", image);
  ASSERT_EQ(run("train detection -t boxes.jsonl -m boxes --query-count 2" + small).status, 0);
  const std::string before = read_bytes(folder_.path("2_b.png"));
  folder_.file("list", "b.png\nb.png\n2_b.png\n");
  EXPECT_THAT(run("detect -m boxes -i list -o 2_b.png").errors,
              HasSubstr("--output: would overwrite 2_b.png, which is an input"));
  for (const auto& [args, input] :
       {std::pair<std::string, std::string>{" -i list", ""}, {"", "2_b.png\nb.png\n"}}) {
    const ProcessResult result = run("detect -m boxes --draw ." + args, input);
    EXPECT_EQ(result.status, 2) << result.errors;
    EXPECT_THAT(result.errors,
                HasSubstr("--draw: would overwrite ./2_b.png, which is an input; expected "));
    EXPECT_EQ(read_bytes(folder_.path("2_b.png")), before);
  }
  // From a pipe a later line may name any file of the folder.
  const ProcessResult later = run("detect -m boxes --draw . --mini-batch 1", "1.png\nb.png\n");
  EXPECT_EQ(later.status, 2) << later.errors;
  EXPECT_THAT(later.errors, HasSubstr("2_b.png, which may be an input: "));
  EXPECT_EQ(read_bytes(folder_.path("2_b.png")), before);
  folder_.file("only", "b.png\n");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run("detect -m boxes -i only --draw .").status, 0);
  // A name of the most bytes that there may be gives a drawing, and results where there is none.
  const ProcessResult drawn = run("detect -m boxes --draw drawn", long_name + ".png\n");
  EXPECT_EQ(drawn.status, 0) << drawn.errors;
  EXPECT_TRUE(std::filesystem::exists(folder_.path("drawn/1_" + std::string(184, 'n') + "\xC3\xA4" +
                                                   std::string(55, 'n') + ".png")));
  const ProcessResult no_folder = run("detect -m boxes --draw list/x", "b.png\n");
  EXPECT_EQ(no_folder.status, 1);
  EXPECT_THAT(no_folder.errors, HasSubstr("list/x: cannot make the folder: Not a directory"));

  folder_.file("pairs.tsv", "1.png\tb.png\n");
  ASSERT_EQ(run("train cross-view -t pairs.tsv -m views" + small).status, 0);
  const std::string first = read_bytes(folder_.path("1.png"));
  const ProcessResult completed = run("complete -m views -i pairs.tsv --output-dir .");
  EXPECT_EQ(completed.status, 2) << completed.errors;
  EXPECT_THAT(completed.errors, HasSubstr("--output-dir: would overwrite ./1.png, which is an"));
  EXPECT_EQ(read_bytes(folder_.path("1.png")), first);
  EXPECT_THAT(run("complete -m views -i pairs.tsv --output-dir list/x").errors,
              HasSubstr("list/x: cannot make the folder: Not a directory"));
}

// With the models and the examples of write_small_models().
class OutputsOfSmallModels : public testing::Test {
 protected:
  OutputsOfSmallModels() { write_small_models(folder_); }
  ProcessResult run(const std::string& args, const std::string& input = "") const {
    return run_weft(words_of(args), {.input = input, .folder = folder_.folder()});
  }

  Scratch folder_;
};

TEST_F(OutputsOfSmallModels, AreNoFilesThatAreEvaluated) {
  folder_.file("labels.tsv", "x\t1.png\ny\t0.png\n");
  folder_.file("vectors.tsv", "x\t1.csv\ny\t0.csv\n");
  folder_.file("boxes.jsonl",
               R"({"image": "0.png", "boxes": [{"label": "x", "box": [0, 0, 4, 4]}]})");
  folder_.file("sounds.tsv", "1.wav\ta\n0.wav\tb\n");
  folder_.file("pairs.tsv", "0.png\t1.png\n");
  folder_.file("moved.tsv", "0.png\t1.png\t1\t2\n");
  const struct {
    const char* args;
    const char* input;
  } cases[] = {
      {"classify -m pictures --evaluate labels.tsv", "0.png"},
      {"classify -m vectors --evaluate vectors.tsv", "0.csv"},
      {"detect -m detector --evaluate boxes.jsonl", "0.png"},
      {"transcribe -m transcriber --evaluate sounds.tsv", "0.wav"},
      {"complete -m completer -i pairs.tsv --evaluate", "1.png"},
      {"motion -m motion -i moved.tsv --evaluate", "1.png"},
  };
  for (const auto& [args, input] : cases) {
    SCOPED_TRACE(args);
    const std::string before = read_bytes(folder_.path(input));
    const ProcessResult result = run(std::string(args) + " --predictions ./" + input);
    EXPECT_EQ(result.status, 2) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(std::string("--predictions: would overwrite ./") + input +
                                         ", which is an input; expected another file"));
    EXPECT_EQ(read_bytes(folder_.path(input)), before);
    EXPECT_FALSE(std::filesystem::exists(folder_.path(input + std::string(".partial"))));
  }
}

TEST_F(OutputsOfSmallModels, AreNoFilesThatALaterLineMayName) {
  const struct {
    const char* args;
    const char* input;
    const char* output;
    const char* kind;
  } cases[] = {
      {"classify -m pictures", "0.png\n1.png\n", "./1.png", "picture"},
      {"classify -m vectors", "0.csv\n1.csv\n", "./1.csv", "file of vectors"},
      {"detect -m detector", "0.png\n1.png\n", "./1.png", "picture"},
      {"transcribe -m transcriber", "0.wav\n1.wav\n", "./1.wav", "sound"},
      {"motion -m motion -i -", "0.png\t2.png\n1.png\t3.png\n", "./1.png", "picture"},
  };
  for (const auto& [args, input, output, kind] : cases) {
    SCOPED_TRACE(args);
    const std::string command = std::string(args) + " --mini-batch 1 -o ";
    const std::string before = read_bytes(folder_.path(output));
    const ProcessResult result = run(command + output, input);
    EXPECT_EQ(result.status, 2) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(std::string("--output: would overwrite ") + output +
                                         ", which may be an input, as it is a " + kind +
                                         "; expected another file"));
    EXPECT_EQ(read_bytes(folder_.path(output)), before);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(run(command + "results", input).status, 0);
  }
  const std::string before = read_bytes(folder_.path("1.png"));
  const std::string pairs = "0.png\t2.png\n1.png\t3.png\n";
  const std::string completing = "complete -m completer -i - --mini-batch 1 --output-dir ";
  const ProcessResult completed = run(completing + ".", pairs);
  EXPECT_EQ(completed.status, 2) << completed.errors;
  EXPECT_THAT(completed.errors,
              HasSubstr("--output-dir: would overwrite ./1.png, which may be an input: "));
  EXPECT_EQ(read_bytes(folder_.path("1.png")), before);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run(completing + "completed", pairs).status, 0);
}

// The sound is transcribed after the first predictions.
TEST_F(OutputsOfSmallModels, ReplaceNoFileBeforeAllPredictionsAreKnown) {
  std::string sounds;
  for (int i = 0; i < 4; ++i) sounds += "1.wav\ta\n";
  folder_.file("sounds.tsv", sounds + "0.wav\tb\n");
  folder_.file("missing.tsv", sounds + "none.wav\tb\n");
  folder_.file("earlier", "earlier");
  const std::string before = read_bytes(folder_.path("0.wav"));
  const std::string command = "transcribe -m transcriber --mini-batch 1 --bad-files refuse ";
  EXPECT_EQ(run(command + "--evaluate sounds.tsv --predictions 0.wav").status, 2);
  EXPECT_EQ(read_bytes(folder_.path("0.wav")), before);
  EXPECT_EQ(run(command + "--evaluate missing.tsv --predictions earlier").status, 1);
  EXPECT_EQ(read_bytes(folder_.path("earlier")), "earlier");
  const ProcessResult found = run(command + "--evaluate sounds.tsv --predictions earlier");
  EXPECT_EQ(found.status, 0) << found.errors;
  const std::string predictions = read_bytes(folder_.path("earlier"));
  EXPECT_EQ(split_lines(predictions).size(), 5u);
  for (const std::string to : {"stdout", "-"}) {
    EXPECT_EQ(run(command + "--evaluate sounds.tsv --predictions " + to).output,
              predictions + found.output);
  }
  EXPECT_EQ(run(command + "--evaluate sounds.tsv --predictions /dev/null").output, found.output);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace weft::test
