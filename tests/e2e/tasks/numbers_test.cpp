// weft train classification --labels numbers: regression of texts, pictures and vectors.
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

constexpr const char* kNumberTraining =
    "train classification --labels numbers -t train.tsv --valid-sets valid.tsv -v words.vocab "
    "-m numbers.safetensors --enc-depth 1 --dim-emb 32 --transformer-dim-ffn 64 "
    "--mini-batch-words 300 --lr-warmup 10 --learn-rate 0.005 --preset none ";

class Numbers : public testing::Test {
 protected:
  ProcessResult run(const std::string& args, const std::string& input = "") const {
    return run_weft(words_of(args), {.input = input, .folder = folder_.folder()});
  }
  // Of the first word's number N: 1000 + N, and half of it with the sign changed.
  static std::string text(uint64_t seed, int lines) {
    std::string out;
    for (const std::string& line : split_lines(toy_text(seed, lines).source)) {
      const int number = std::stoi(line.substr(1));
      out +=
          std::to_string(1000 + number) + " " + std::to_string(-0.5 * number) + "\t" + line + "\n";
    }
    return out;
  }
  ProcessResult train(const std::string& more) const {
    folder_.file("train.tsv", text(1, 400));
    folder_.file("valid.tsv", text(2, 60));
    folder_.file("test.tsv", text(3, 60));
    return run(kNumberTraining + more);
  }

  Scratch folder_;
};

TEST_F(Numbers, AreLearntFromText) {
  const ProcessResult trained = train("--after 12e --valid-metrics rmse pearson");
  ASSERT_EQ(trained.status, 0) << trained.errors;
  EXPECT_THAT(trained.errors, HasSubstr("2 numbers"));
  EXPECT_THAT(trained.errors, HasSubstr("rmse "));
  const ProcessResult result = run("classify -m numbers.safetensors", "w0 w1\n\nw8 w3\n");
  ASSERT_EQ(result.status, 0) << result.errors;
  const std::vector<std::string> lines = split_lines(result.output);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1], "");
  EXPECT_NEAR(std::stod(words_of(lines[0]).at(0)), 1000, 2.5);
  EXPECT_NEAR(std::stod(words_of(lines[2]).at(0)), 1008, 2.5);
  EXPECT_NEAR(std::stod(words_of(lines[2]).at(1)), -4, 1.25);
  // Two of the same model are one.
  EXPECT_EQ(run("classify -m numbers.safetensors numbers.safetensors", "w0 w1\n\nw8 w3\n").output,
            result.output);
  const ProcessResult found = run("classify -m numbers.safetensors --evaluate test.tsv");
  ASSERT_EQ(found.status, 0) << found.errors;
  const std::vector<std::string> scores = split_lines(found.output);
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_THAT(scores[0], MatchesRegex("number 1: RMSE [0-9.]+, MAE [0-9.]+, R2 0\\.[89].*"));
  EXPECT_THAT(scores[2], MatchesRegex("mean: .*Pearson 0\\.9[0-9]+, Spearman 0\\.[0-9]+"));
  const auto measured = nlohmann::json::parse(
      run("classify -m numbers.safetensors --evaluate test.tsv --json --predictions found.jsonl")
          .output);
  for (const auto& [metric, name] : {std::pair("root mean squared error", "rmse"),
                                     {"mean absolute error", "mae"},
                                     {"R2", "r2"},
                                     {"Pearson", "pearson"},
                                     {"Spearman", "spearman"}}) {
    const auto& columns = measured["columns"];
    const double mean = (columns[0].at(name).get<double>() + columns[1].at(name).get<double>()) / 2;
    expect_compared(folder_, "found.jsonl", 60, metric, mean);
  }
}

// A training that is stopped and goes on ends with the same model, with Huber's error too.
TEST_F(Numbers, AreLearntWithHubersErrorAndResumed) {
  ASSERT_EQ(train("--huber-delta 1 --save-freq 4u --after 4u").status, 0);
  ASSERT_EQ(train("--huber-delta 1 --save-freq 4u --after 8u").status, 0);
  const std::string resumed = read_bytes(folder_.path("numbers.safetensors"));
  ASSERT_EQ(train("--huber-delta 1 --save-freq 4u --after 8u --overwrite").status, 0);
  EXPECT_EQ(read_bytes(folder_.path("numbers.safetensors")), resumed);
  ASSERT_EQ(train("--after 8u --overwrite").status, 0);
  EXPECT_NE(read_bytes(folder_.path("numbers.safetensors")), resumed);
}

TEST_F(Numbers, AreLearntFromPicturesAndVectors) {
  write_toy_pictures(folder_);
  std::string pictures, vectors;
  for (int i = 0; i < 12; ++i) {
    const std::string number = std::to_string(i), value = std::to_string(0.25 * i);
    pictures += value + "\tpictures/" + std::to_string(i % 3) + "_" + number + ".png\n";
    vectors += value + "\tv" + number + ".csv\n";
    folder_.file("v" + number + ".csv", "1," + number + "\n2," + value + "\n");
  }
  const std::string small =
      " --labels numbers -m m --overwrite --dim-emb 16 --transformer-heads 2 --enc-depth 1 "
      "--after 3u ";
  for (const auto& [list, kind] :
       {std::pair(pictures, "image --patch-size 4"), std::pair(vectors, "features")}) {
    folder_.file("list.tsv", list);
    const ProcessResult trained =
        run("train classification -t list.tsv --valid-sets list.tsv --input " + (kind + small));
    ASSERT_EQ(trained.status, 0) << trained.errors;
    const std::vector<std::string> lines = split_lines(list);
    const std::string path = lines[5].substr(lines[5].find('\t') + 1);
    EXPECT_THAT(run("classify -m m", path + "\nnone\n").output, MatchesRegex("-?[0-9.]+\n\n"));
    EXPECT_THAT(run("classify -m m --evaluate list.tsv").output, MatchesRegex("RMSE [0-9.]+, .*"));
  }
}

TEST_F(Numbers, AreNamedByLineWhereTheyAreNone) {
  ASSERT_EQ(train("--after 1u").status, 0);
  folder_.file("bad.tsv", "1 2\tw1\n1 two\tw2\n");
  folder_.file("few.tsv", "1 2\tw1\n1\tw2\n");
  const std::string evaluate = "classify -m numbers.safetensors --evaluate ";
  const std::string training = "train classification --labels numbers -m m -v words.vocab -t ";
  const struct {
    std::string args;
    int status;
    const char* message;
  } cases[] = {
      {training + "bad.tsv", 1, "bad.tsv:2: 'two' is not a number"},
      {training + "few.tsv", 1, "few.tsv:2: 1 number in '1'; expected 2"},
      {training + "train.tsv --valid-sets few.tsv", 1, "few.tsv:2: 1 number in '1'; expected 2"},
      {training + "train.tsv --calibrate", 2, "--calibrate: belongs to --labels one"},
      {training + "train.tsv --class-weights balanced", 2, "--class-weights: belongs to --labels"},
      {training + "train.tsv --valid-sets train.tsv --valid-metrics micro-f1", 2,
       "--valid-metrics: micro-f1 is of labels; got --labels numbers"},
      {training + "train.tsv --valid-sets train.tsv --valid-metrics accuracy", 2,
       "--valid-metrics: accuracy is of labels; got --labels numbers; expected rmse, mae, r2, "
       "pearson or spearman"},
      {training + "train.tsv --valid-sets train.tsv --valid-metrics auto mae", 2,
       "--valid-metrics: auto stands for all metrics"},
      {"train classification -m m -v words.vocab -t train.tsv --huber-delta 1", 2,
       "--huber-delta: belongs to --labels numbers"},
      {"train classification -m m -v words.vocab -t train.tsv --valid-sets train.tsv "
       "--valid-metrics r2",
       2, "--valid-metrics: r2 is of --labels numbers; got --labels one"},
      {evaluate + "bad.tsv", 1, "bad.tsv:2: 'two' is not a number"},
      {evaluate + "few.tsv", 1, "few.tsv:2: 1 number in '1'; expected 2"},
      {evaluate + "test.tsv --confusion", 2, "--confusion: the model is of --labels numbers"},
      {"classify -m numbers.safetensors --scores", 2, "--scores: the model is of --labels numbers"},
      {"classify -m numbers.safetensors --threshold 0.5", 2,
       "--threshold: the model is of --labels numbers"},
      {"inspect -m numbers.safetensors --data data.json -i test.tsv", 2,
       "the model is of --labels numbers"},
  };
  for (const auto& c : cases) {
    const ProcessResult result = run(c.args);
    EXPECT_EQ(result.status, c.status) << c.args;
    EXPECT_THAT(result.errors, HasSubstr(c.message)) << c.args;
  }
}

}  // namespace
}  // namespace weft::test
