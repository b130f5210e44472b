// weft train cross-view, complete and motion: exact resumption, ranks, N pairs in and N results
// out, and the same result for a pair in any batch, in any precision.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/comparing.h"
#include "tests/e2e/ranks.h"
#include "tests/e2e/translating.h"
#include "tests/support/paths.h"
#include "tests/support/tensors.h"
#include "tests/tasks/cross_view/toy_views.h"
#include "tests/tasks/labels/toy_labels.h"
#include "weft/data/images/image_file.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// What is trained, and the command that its model is used by.
struct ViewTask {
  const char* name;
  const char* train;
  const char* use;
  friend std::ostream& operator<<(std::ostream& out, const ViewTask& t) { return out << t.name; }
};

const ViewTask kViewTasks[] = {
    {"Completion", "--mask-ratio 0.6 --transformer-dropout 0.1 --drop-path 0.1 -t train.tsv",
     "complete"},
    {"CompletionOfCrops", "--normalise-patches --views crops --image-size 8 -t pictures",
     "complete"},
    {"CompletionAlone", "--second-view none --position sinusoidal-2d -t train.tsv", "complete"},
    {"CompletionByTwoStreams", "--decoder two-stream --dim-dec 8 -t train.tsv", "complete"},
    {"Motion", "--objective motion --transformer-dropout 0.1 -t train.tsv", "motion"},
    {"MotionByTwoStreams", "--objective motion --decoder two-stream --drop-path 0.1 -t train.tsv",
     "motion"},
};

class EveryViewTask : public testing::TestWithParam<ViewTask> {
 protected:
  EveryViewTask() {
    for (const Scratch* folder : {&folder_, &reference_}) write_toy_views(*folder);
  }
  static std::vector<std::string> training(int updates, const std::string& more = "") {
    const std::string valid =
        std::string(GetParam().train).find("crops") == std::string::npos ? "valid.tsv" : "pictures";
    const std::string command = std::string("train cross-view ") + kToyViewModel + " " +
                                GetParam().train + " --valid-sets " + valid +
                                " -m model.safetensors --mini-batch 8 --lr-warmup 10 "
                                "--learn-rate 0.005 --disp-freq 10 --valid-freq 10u --save-freq 7u "
                                "--threads 2";
    return command_with(command, "--after " + std::to_string(updates) + "u " + more);
  }
  static ProcessResult train(const Scratch& folder, int updates, const std::string& more = "") {
    return run_weft(training(updates, more), {.folder = folder.folder()});
  }
  ProcessResult use(const std::string& more) const {
    return run_weft(words_of(std::string(GetParam().use) + " -i valid.tsv " + more),
                    {.folder = folder_.folder()});
  }

  Scratch folder_, reference_;
};

TEST_P(EveryViewTask, KilledAtAnyMomentEndsWithTheSameBytes) {
  RandomStream random(11, 0);
  for (int attempt = 0; attempt < 3; ++attempt) {
    Process training_(weft_command(training(kEndless)), {.folder = folder_.folder()});
    ASSERT_TRUE(training_.wait_for_error_text("0 loss"));
    training_.send(attempt == 1 ? SIGTERM : SIGKILL);
    training_.wait();
  }
  expect_to_end_as_if_never_interrupted(
      folder_, reference_, updates_done(folder_) + 15,
      [&](const Scratch& folder, int updates) { return train(folder, updates); });
}

TEST_P(EveryViewTask, GivesAPairTheSameResultInAnyBatchAndPrecision) {
  ASSERT_EQ(train(folder_, 30).status, 0);
  for (const std::string precision : {"float32", "bfloat16", "int8"}) {
    SCOPED_TRACE(precision);
    const std::string model = "-m model.safetensors --precision " + precision;
    const ProcessResult one = use(model + " --mini-batch 1 --threads 1");
    ASSERT_EQ(one.status, 0) << one.errors;
    EXPECT_EQ(split_lines(one.output).size(), 20u);
    for (const std::string batch : {"7", "64"}) {
      EXPECT_EQ(use(model + " --threads 2 --mini-batch " + batch).output, one.output);
    }
    const ProcessResult rounded =
        run_weft({"quantize", "-m", "model.safetensors", "-o", "small", "--precision", precision},
                 {.folder = folder_.folder()});
    ASSERT_EQ(rounded.status, 0) << rounded.errors;
    EXPECT_EQ(use("-m small").output, one.output);
  }
}

TEST_P(EveryViewTask, TrainsInBfloat16) {
  const ProcessResult trained = train(folder_, 20, "--precision bfloat16");
  ASSERT_EQ(trained.status, 0) << trained.errors;
  EXPECT_EQ(use("-m model.safetensors").status, 0);
}

// What recomputed layers give is what saved ones give. GELU is left out: without a tape a product
// computes it in its own way, which may round otherwise.
TEST_P(EveryViewTask, TrainsTheSameWithGradientCheckpointing) {
  const std::string exact = "--precision float32 --transformer-ffn-activation relu ";
  ASSERT_EQ(train(folder_, 12, exact).status, 0);
  ASSERT_EQ(train(reference_, 12, exact + "--gradient-checkpointing").status, 0);
  EXPECT_TRUE(read_bytes(folder_.path("model.safetensors")) ==
              read_bytes(reference_.path("model.safetensors")));
}

TEST_P(EveryViewTask, RefusesTheOtherCommandAndATranslator) {
  ASSERT_EQ(train(folder_, 1).status, 0);
  const std::string other = GetParam().use == std::string("motion") ? "complete" : "motion";
  const ProcessResult refused = run_weft(words_of(other + " -i valid.tsv -m model.safetensors"),
                                         {.folder = folder_.folder()});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr(std::string("hint: weft ") + GetParam().use + " runs it"));
  const auto model = decode::small_session(decode::small_options());
  model_file::save(folder_.path("translator"), model, model.parameters);
  EXPECT_THAT(use("-m translator").errors,
              HasSubstr("translator: is a model of type 'seq2seq'; expected cross-view"));
}

class RanksOfViewTask : public EveryViewTask {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(mpirun_path())) {
      GTEST_SKIP() << "no mpirun at '" << mpirun_path() << "'";
    }
  }
  static ProcessResult train_ranks(const Scratch& folder, int updates, const std::string& more) {
    return run_process(mpirun_command(2, weft_command(training(updates, more + " --threads 1"))),
                       mpirun_options(folder.folder()));
  }
};

// Two ranks have the gradient of one, and go on as if they had never stopped.
TEST_P(RanksOfViewTask, TrainAsOneProcessDoes) {
  const std::string exact = "--precision float32 --valid-freq 0";
  ASSERT_EQ(train(reference_, 1, exact).status, 0);
  const ProcessResult two = train_ranks(folder_, 1, exact);
  ASSERT_EQ(two.status, 0) << two.errors;
  const auto gradient = [](const Scratch& folder) {
    return formats::SafetensorsFile(folder.path(kToyState)).tensor("adam.first").clone();
  };
  EXPECT_LT(test::distance(gradient(folder_), gradient(reference_)), 1e-6);

  Scratch whole, parts;
  for (const Scratch* folder : {&whole, &parts}) write_toy_views(*folder);
  expect_success(train_ranks(whole, 15, ""));
  expect_success(train_ranks(parts, 6, ""));
  expect_success(train_ranks(parts, 15, ""));
  expect_same_files(parts, whole);
}

class Complete : public testing::Test {
 protected:
  Complete() { write_toy_views(folder_); }
  ProcessResult run(const std::string& args) const {
    return run_weft(words_of(args), {.folder = folder_.folder()});
  }
  ProcessResult train(const std::string& more = "") const {
    return run(std::string("train cross-view -t train.tsv -m model.safetensors --mini-batch 8 "
                           "--after 5u ") +
               kToyViewModel + " " + more);
  }

  Scratch folder_;
};

TEST_F(Complete, WritesAPictureForEachPair) {
  ASSERT_EQ(train().status, 0);
  const ProcessResult result =
      run("complete -m model.safetensors -i valid.tsv --output-dir out/pictures");
  ASSERT_EQ(result.status, 0) << result.errors;
  const data::Image row = data::read_image(folder_.path("out/pictures/20.png"));
  EXPECT_EQ(row.height, 8);
  EXPECT_EQ(row.width, 4 * 8 + 3 * 2);
  EXPECT_THAT(split_lines(result.output).back(), testing::MatchesRegex("20\t[0-9.]+"));
  ASSERT_EQ(
      run("complete -m model.safetensors -i valid.tsv --output-dir many --pairs-per-file 8").status,
      0);
  EXPECT_EQ(data::read_image(folder_.path("many/9.png")).height, 8 * 8 + 7 * 2);
  EXPECT_EQ(data::read_image(folder_.path("many/17.png")).height, 4 * 8 + 3 * 2);
  ASSERT_EQ(run("complete -m model.safetensors -i valid.tsv --output-dir apart --separate").status,
            0);
  for (const char* part : {"masked", "completed", "first", "second"}) {
    const data::Image image =
        data::read_image(folder_.path(std::string("apart/7-") + part + ".png"));
    EXPECT_EQ(image.width, 8) << part;
  }
}

TEST_F(Complete, MeasuresTheMeanErrorWithAndWithoutTheSecondView) {
  ASSERT_EQ(train().status, 0);
  const ProcessResult own = run("complete -m model.safetensors -i valid.tsv --evaluate");
  EXPECT_THAT(own.output, StartsWith("error "));
  const ProcessResult other =
      run("complete -m model.safetensors -i valid.tsv --evaluate --without-second");
  EXPECT_NE(own.output, other.output);
  const auto measured = nlohmann::json::parse(
      run("complete -m model.safetensors -i valid.tsv --evaluate --json --predictions found.jsonl")
          .output);
  EXPECT_EQ(own.output, fmt::format("error {:.6f}\n", measured["error"].get<double>()));
  expect_compared(folder_, "found.jsonl", measured["pairs"], "error", measured["error"]);
  EXPECT_EQ(run("complete -m model.safetensors -i pictures --views crops --evaluate").status, 0);
}

TEST_F(Complete, SaysWhatIsWrongWithItsInput) {
  ASSERT_EQ(train().status, 0);
  folder_.file("bad.tsv", "views/0_0_0.png\tviews/0_0_0.png\nviews/0_0_0.png\tnone.png\n");
  const auto errors = [&](const std::string& more) {
    const ProcessResult result = run("complete -m model.safetensors " + more);
    EXPECT_NE(result.status, 0) << more;
    return result.errors;
  };
  EXPECT_THAT(errors("-i bad.tsv"), HasSubstr("bad.tsv:2: "));
  EXPECT_THAT(errors("-i none.tsv"), HasSubstr("none.tsv"));
  EXPECT_THAT(errors("-i valid.tsv --separate"), HasSubstr("--separate: is of --output-dir"));
  EXPECT_THAT(errors("-i valid.tsv --pairs-per-file 2"), HasSubstr("--pairs-per-file: is of"));
  EXPECT_THAT(errors("-i valid.tsv --output-dir x --separate --pairs-per-file 2"),
              HasSubstr("--pairs-per-file: contradicts --separate"));
  EXPECT_THAT(errors("-i valid.tsv --evaluate --output-dir x"), HasSubstr("--evaluate: "));
  folder_.file("one.tsv", "views/0_0_0.png\tviews/0_0_0.png\n");
  EXPECT_THAT(errors("-i one.tsv --without-second"), HasSubstr("another pair, got one pair"));
  ASSERT_EQ(train("--second-view none --overwrite").status, 0);
  EXPECT_THAT(errors("-i valid.tsv --without-second"), HasSubstr("sees no second view"));
}

TEST_F(Complete, MotionIsPrintedAndMeasured) {
  ASSERT_EQ(train("--objective motion").status, 0);
  const ProcessResult found = run("motion -m model.safetensors -i valid.tsv");
  EXPECT_THAT(split_lines(found.output).front(), testing::MatchesRegex("-?[0-9.]+\t-?[0-9.]+"));
  const ProcessResult measured = run("motion -m model.safetensors -i valid.tsv --evaluate");
  EXPECT_THAT(measured.output,
              testing::MatchesRegex("error [0-9.]+\nabsolute errors [0-9.]+ [0-9.]+\n"));
  const auto printed = nlohmann::json::parse(
      run("motion -m model.safetensors -i valid.tsv --evaluate --json --predictions found.jsonl")
          .output);
  const auto& errors = printed["absolute_errors"];
  expect_compared(folder_, "found.jsonl", std::ssize(split_lines(found.output)),
                  "mean absolute error", (errors[0].get<double>() + errors[1].get<double>()) / 2);
  folder_.file("plain.tsv", "views/0_0_0.png\tviews/0_0_0.png\n");
  EXPECT_EQ(split_lines(run("motion -m model.safetensors -i plain.tsv").output).size(), 1u);
  EXPECT_THAT(run("motion -m model.safetensors -i plain.tsv --evaluate").errors,
              HasSubstr("plain.tsv: 0 numbers of a pair; expected 2"));
  EXPECT_EQ(run("motion -m model.safetensors -i valid.tsv --evaluate -o out").status, 2);
}

const auto kNameOfView = [](const auto& one) { return std::string(one.param.name); };
INSTANTIATE_TEST_SUITE_P(Tasks, EveryViewTask, testing::ValuesIn(kViewTasks), kNameOfView);
INSTANTIATE_TEST_SUITE_P(Tasks, RanksOfViewTask, testing::ValuesIn(kViewTasks), kNameOfView);

}  // namespace
}  // namespace weft::test
