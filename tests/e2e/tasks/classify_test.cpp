// weft train classification and weft classify: what they learn, print and refuse.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/comparing.h"
#include "tests/e2e/translating.h"
#include "tests/support/pictures.h"
#include "tests/tasks/labels/toy_labels.h"
#include "tests/tasks/labels/toy_pictures.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

constexpr const char* kClassifyTraining =
    "train classification -t train.tsv --valid-sets valid.tsv -v words.vocab -m class.safetensors "
    "--enc-depth 1 --dim-emb 32 --transformer-dim-ffn 128 --mini-batch-words 300 --lr-warmup 10 "
    "--learn-rate 0.005 --after 30e ";

class Classify : public testing::Test {
 protected:
  ProcessResult run(const std::string& args, const std::string& input = "") const {
    return run_weft(words_of(args), {.input = input, .folder = folder_.folder()});
  }
  void train(const std::string& more) const {
    const bool has_several = more.find("several") != more.npos;
    const auto text = has_several ? several_labels_text : one_label_text;
    folder_.file("train.tsv", text(1, 400));
    folder_.file("valid.tsv", text(2, 60));
    folder_.file("test.tsv", text(3, 60));
    const ProcessResult result =
        run_weft(command_with(kClassifyTraining, more), {.folder = folder_.folder()});
    ASSERT_EQ(result.status, 0) << result.errors;
  }
  // The text of test.tsv, and its labels.
  std::string column(size_t number) const {
    std::string out;
    for (const std::string& line : split_lines(read_bytes(folder_.path("test.tsv")))) {
      const size_t tab = line.find('\t');
      out += (number == 0 ? line.substr(0, tab) : line.substr(tab + 1)) + "\n";
    }
    return out;
  }

  Scratch folder_;
};

TEST_F(Classify, LearnsOneLabelOfEachLine) {
  train("");
  const ProcessResult result = run("classify -m class.safetensors", column(1));
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_GE(lines_alike(result.output, column(0)), 50);
  EXPECT_THAT(result.errors, HasSubstr("classified 60 lines"));
}

TEST_F(Classify, LearnsSeveralLabels) {
  train("--labels several --valid-metrics micro-f1");
  const ProcessResult result = run("classify -m class.safetensors", column(1));
  ASSERT_EQ(result.status, 0) << result.errors;
  const ProcessResult found = run("classify -m class.safetensors --evaluate test.tsv");
  ASSERT_EQ(found.status, 0) << found.errors;
  const size_t place = found.output.find("micro F1 ");
  ASSERT_NE(place, std::string::npos);
  EXPECT_GT(std::stod(found.output.substr(place + 9)), 0.9) << found.output;
  const auto measured = nlohmann::json::parse(
      run("classify -m class.safetensors --evaluate test.tsv --json --predictions found.jsonl")
          .output);
  for (const auto& [metric, name] : {std::pair("accuracy", "accuracy"),
                                     {"micro F1", "micro_f1"},
                                     {"macro F1", "macro_f1"},
                                     {"weighted F1", "weighted_f1"},
                                     {"cross-entropy", "cross_entropy"},
                                     {"calibration error", "calibration_error"}}) {
    expect_compared(folder_, "found.jsonl", 60, metric, measured.at(name));
  }
  EXPECT_EQ(run("classify -m class.safetensors --threshold 1", "w1 w2\n").output, "\n");
  EXPECT_EQ(words_of(run("classify -m class.safetensors --threshold 0", "w1\n").output).size(), 3u);
}

TEST_F(Classify, KnowsTheColumnsOfItsTraining) {
  folder_.file("train.txt", "a\tw1 w2\tx\nb\tw2 w3\ty,x\n");
  const ProcessResult result =
      run("train classification -t train.txt --text-field 1 --label-field 2 --labels several "
          "--label-separators , -v words.vocab -m m --enc-depth 1 --dim-emb 16 --after 1u");
  ASSERT_EQ(result.status, 0) << result.errors;
  const ProcessResult found = run("classify -m m --evaluate train.txt");
  ASSERT_EQ(found.status, 0) << found.errors;
  EXPECT_THAT(found.output, HasSubstr("\n           x "));
  EXPECT_THAT(found.output, HasSubstr("\n           y "));
  EXPECT_EQ(run("classify -m m --evaluate train.txt --label-field 2 --label-separators ,").output,
            found.output);
  EXPECT_THAT(run("classify -m m --evaluate train.txt --label-field 0").errors,
              HasSubstr("train.txt:1: the label 'a' is unknown"));
}

TEST_F(Classify, PrintsScoresOfAllLabels) {
  train("");
  const ProcessResult result = run("classify -m class.safetensors --scores", "w3 w4\n\nw1\n");
  const std::vector<std::string> lines = split_lines(result.output);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], MatchesRegex("class0\t0.[0-9]+\tclass[12]\t0.[0-9]+\tclass[12]\t0.[0-9]+"));
  EXPECT_EQ(lines[1], "");
}

TEST_F(Classify, MeasuresTheLabelsOfText) {
  train("--calibrate");
  const ProcessResult found =
      run("classify -m class.safetensors class.safetensors --evaluate test.tsv --confusion");
  ASSERT_EQ(found.status, 0) << found.errors;
  EXPECT_THAT(found.output,
              MatchesRegex("accuracy 0\\.[0-9]+ .*, micro F1 .*calibration error .*"));
  EXPECT_THAT(found.output, HasSubstr("precision    recall  f1-score   support"));
  EXPECT_THAT(found.output, HasSubstr("\tclass"));
  const ProcessResult json =
      run("classify -m class.safetensors class.safetensors --evaluate test.tsv --confusion --json "
          "--predictions found.jsonl");
  const auto measured = nlohmann::json::parse(json.output);
  EXPECT_THAT(
      found.output,
      testing::StartsWith(fmt::format(
          "accuracy {:.4f} ({:.4f} to {:.4f} with 95 % confidence), micro F1 {:.4f}, macro F1 "
          "{:.4f}",
          measured["accuracy"].get<double>(), measured["accuracy_interval"][0].get<double>(),
          measured["accuracy_interval"][1].get<double>(), measured["micro_f1"].get<double>(),
          measured["macro_f1"].get<double>())));
  EXPECT_EQ(measured["confusion"]["labels"].size(), 3u);
  expect_compared(folder_, "found.jsonl", 60, "accuracy", measured["accuracy"]);
  expect_compared(folder_, "found.jsonl", 60, "macro F1", measured["macro_f1"]);
  expect_compared(folder_, "found.jsonl", 60, "cross-entropy", measured["cross_entropy"]);
  expect_compared(folder_, "found.jsonl", 60, "calibration error", measured["calibration_error"]);
}

TEST_F(Classify, NamesWhatIsWrong) {
  train("");
  folder_.file("unknown.tsv", "class0\tw1\nclass7\tw2\n");
  folder_.file("short.tsv", "class0\tw1\nw2\n");
  const struct {
    const char* args;
    int status;
    const char* message;
  } cases[] = {
      {"classify", 2, "--model"},
      {"classify -m none", 1, "none: cannot be opened"},
      {"classify -m train.tsv", 1, "train.tsv: "},
      {"classify -m class.safetensors --threshold 0.2", 2,
       "--threshold: the model is of --labels one"},
      {"classify -m class.safetensors --confusion", 2, "--confusion: is not read without"},
      {"classify -m class.safetensors --evaluate test.tsv --bad-files refuse", 2,
       "--bad-files: the model is of --input text"},
      {"classify -m class.safetensors --json", 2, "--json: is not read without --evaluate"},
      {"classify -m class.safetensors --evaluate test.tsv --predictions test.tsv", 2,
       "--predictions: would overwrite"},
      {"classify -m class.safetensors --scores --evaluate test.tsv", 2,
       "--scores: is not read with --evaluate"},
      {"classify -m class.safetensors --evaluate unknown.tsv", 1,
       "unknown.tsv:2: the label 'class7' is unknown"},
      {"classify -m class.safetensors --evaluate short.tsv", 1, "short.tsv:2: too few columns"},
      {"classify -m class.safetensors --precision int4", 2, "has no int4; expected int8"},
      {"train classificaton", 2, "unknown task 'classificaton'"},
      {"train classification -m m -v v", 2, "--train-sets"},
      {"train classification -m m -v v -t none.tsv", 1, "none.tsv: cannot be opened"},
      {"train classification -m m -v v -t train.tsv --dec-depth 2", 2, "--dec-depth"},
  };
  for (const auto& c : cases) {
    const ProcessResult result = run(c.args);
    EXPECT_EQ(result.status, c.status) << c.args;
    EXPECT_THAT(result.errors, HasSubstr(c.message)) << c.args;
  }
}

// The texts of TREC (Li and Roth 2002) stand as `label words`.
TEST_F(Classify, ReadsTheLabelAsTheFirstWord) {
  folder_.file("train.tsv", "yes a b\nno c d\nyes a\nno d\n");
  const ProcessResult result =
      run("train classification -t train.tsv --format first-word -v words.vocab -m m --dim-emb 16 "
          "--transformer-heads 2 --after 2u");
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(run("classify -m m", "a\n").output, testing::AnyOf("yes\n", "no\n"));
}

TEST_F(Classify, ReportsLinesThatItDidNotReadWhole) {
  train("--after 1u");
  const ProcessResult result =
      run("classify -m class.safetensors --max-length 2 --strict", "w1 w2 w3\n\xFF\nw1\n");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("3 lines: 1 not UTF-8 (left empty), 1 cropped"));
  EXPECT_EQ(split_lines(result.output).size(), 3u);
}

TEST_F(Classify, ReadsPicturesOfAnIdxFile) {
  write_toy_pictures(folder_);
  std::vector<data::Image> pictures;
  std::vector<uint8_t> labels;
  std::string paths;
  for (int i = 0; i < 12; ++i) {
    pictures.push_back(toy_picture(i % 3, i));
    labels.push_back(static_cast<uint8_t>(i % 3));
    paths += "pictures/" + std::to_string(i % 3) + "_" + std::to_string(i) + ".png\n";
  }
  folder_.file("images", idx_of_images(pictures));
  folder_.file("labels", idx_of_labels(labels));
  const ProcessResult trained =
      run("train classification --input image -t images labels -m m --patch-size 4 --dim-emb 16 "
          "--transformer-heads 2 --enc-depth 1 --after 5u");
  ASSERT_EQ(trained.status, 0) << trained.errors;
  const ProcessResult found = run("classify -m m --scores --mini-batch 5 -i images");
  EXPECT_EQ(found.status, 0) << found.errors;
  EXPECT_EQ(split_lines(found.output).size(), 12u);
  EXPECT_EQ(found.output, run("classify -m m --scores", paths).output);
  EXPECT_THAT(run("classify -m m -i labels").errors, HasSubstr("labels: "));
  EXPECT_THAT(run("classify -m m -i images --max-length 9").errors,
              HasSubstr("--max-length: the model is of --input image"));
}

}  // namespace
}  // namespace weft::test
