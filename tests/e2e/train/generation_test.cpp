// Models of every --generation: they learn, translate, resume after a kill, start from a
// left-to-right model, and report unsupported options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/e2e/translating.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

struct GenerationKind {
  const char* name;
  std::vector<std::string> options;
  friend std::ostream& operator<<(std::ostream& out, const GenerationKind& k) {
    return out << k.name;
  }
};

const GenerationKind kGenerationKinds[] = {
    {"MaskPredict", {"--generation", "mask-predict"}},
    {"Parallel", {"--generation", "parallel"}},
    {"ParallelUpToTheEnd", {"--generation", "parallel", "--length-from", "end"}},
    {"Ctc", {"--generation", "ctc", "--label-smoothing", "0"}},
};

class Generation : public testing::TestWithParam<GenerationKind> {
 protected:
  Generation() {
    const ToyText train = toy_text(1, 1500), valid = toy_text(2, 40);
    for (const Scratch* folder : {&folder_, &reference_}) {
      folder->file("train.src", train.source);
      folder->file("train.trg", train.target);
      folder->file("valid.src", valid.source);
      folder->file("valid.trg", valid.target);
    }
    source_ = valid.source, target_ = valid.target;
  }
  // The toy training with the options of the kind, followed by others.
  static std::vector<std::string> training(int updates, const std::vector<std::string>& more) {
    std::vector<std::string> args = toy_training(updates, GetParam().options);
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  ProcessResult run(std::vector<std::string> args, const std::string& input = "") const {
    return run_weft(std::move(args),
                    {.input = input, .folder = folder_.folder(), .time_limit = 300});
  }

  Scratch folder_, reference_;
  std::string source_, target_;
};

TEST_P(Generation, LearnsAndTranslates) {
  const ProcessResult trained = run(
      learning("--transformer-heads 4 --transformer-dim-ffn 128 --lr-warmup 60 --learn-rate 0.005 "
               "--threads 1 "
               "--valid-sets valid.src valid.trg --valid-metrics bleu cross-entropy --after 500u",
               GetParam().options));
  ASSERT_EQ(trained.status, 0) << trained.errors;
  EXPECT_THAT(trained.errors, HasSubstr("validation at update 500: bleu"));
  const std::string text = source_ + "\n";  // an empty line
  const ProcessResult result = run({"translate", "-m", "model.safetensors"}, text);
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(split_lines(result.output).back(), "");
  EXPECT_GE(lines_alike(result.output, target_ + "\n"), 20) << trained.errors;
  const std::vector<std::vector<std::string>> same = {{"--mini-batch", "1", "--threads", "1"},
                                                      {"--mini-batch", "7", "--maxi-batch", "1"}};
  for (std::vector<std::string> how : same) {
    how.insert(how.begin(), {"translate", "-m", "model.safetensors"});
    EXPECT_EQ(run(how, text).output, result.output) << how[3];
  }
  const ProcessResult small =
      run({"translate", "-m", "model.safetensors", "--precision", "int8"}, source_);
  EXPECT_EQ(split_lines(small.output).size(), 40u) << small.errors;
  const ProcessResult bench = run({"bench", "decode", "-m", "model.safetensors", "-i", "valid.src",
                                   "--mini-batch", "4", "--repeats", "1"});
  EXPECT_EQ(bench.status, 0) << bench.errors;
}

TEST_P(Generation, ResumesBitExactly) {
  const std::vector<std::string> options = {"--save-freq", "5u"};
  ASSERT_EQ(run(training(12, options)).status, 0);
  expect_to_end_as_if_never_interrupted(
      folder_, reference_, 25, [&](const Scratch& folder, int updates) {
        return run_weft(training(updates, options), {.folder = folder.folder()});
      });
}

TEST_P(Generation, StartsFromALeftToRightModel) {
  std::vector<std::string> teacher = toy_training(3);
  ASSERT_EQ(run(teacher).status, 0);
  std::filesystem::rename(folder_.path("model.safetensors"), folder_.path("teacher.safetensors"));
  const ProcessResult taught = run(
      training(3, {"--overwrite", "--pretrained-model", "teacher.safetensors", "--pretrained-parts",
                   "model.encoder.*", "model.decoder.[!m]*", "lm_head.*", "final_logits_bias"}));
  ASSERT_EQ(taught.status, 0) << taught.errors;
  EXPECT_THAT(taught.errors, HasSubstr("46 of "));
  EXPECT_THAT(taught.errors, HasSubstr(" parameters from teacher.safetensors"));
}

TEST_P(Generation, ReportsUnsupportedOptions) {
  ASSERT_EQ(run(training(1, {})).status, 0);
  const ProcessResult score =
      run({"score", "-m", "model.safetensors", "-t", "valid.src", "valid.trg"});
  EXPECT_NE(score.status, 0);
  EXPECT_THAT(score.errors, HasSubstr("model.safetensors is a model of --generation"));
  const ProcessResult aligned = run(
      {"score", "-m", "model.safetensors", "-t", "valid.src", "valid.trg", "--alignment", "hard"});
  EXPECT_NE(aligned.status, 0);
  EXPECT_EQ(aligned.output, "");
  EXPECT_THAT(aligned.errors, HasSubstr("expected a model of --generation left-to-right"));
  const auto expect = [&](std::vector<std::string> more, const char* message) {
    more.insert(more.begin(), {"translate", "-m", "model.safetensors"});
    EXPECT_THAT(run(more, source_).errors, HasSubstr(message));
  };
  expect({"--beam-size", "2"},
         "--beam-size: belongs to --generation left-to-right; got it with a model of");
  folder_.file("kept", "text");
  expect({"--stream", "-o", "kept"},
         "--stream: is for translations that come about token by token");
  expect({"model.safetensors", "-o", "kept"}, "--model: one of several is of --generation");
  EXPECT_EQ(read_bytes(folder_.path("kept")), "text");
  expect({"--constraints", "no-such-file"}, "--constraints: is for translations that come about");
  expect({"--shortlist", "no-such-file"}, "--shortlist: is for translations that come about");
  std::vector<std::string> wrong = training(1, {"--overwrite", "--r-drop", "1"});
  EXPECT_THAT(run(wrong).errors, HasSubstr("--r-drop: compares two passes"));
  std::filesystem::copy(folder_.path("model.safetensors"), folder_.path("teacher.safetensors"));
  wrong = training(1, {"--overwrite", "--teacher", "teacher.safetensors"});
  EXPECT_THAT(run(wrong).errors, HasSubstr("--teacher: predicts each token from the previous"));
  wrong = training(1, {"--overwrite", "--valid-sets", "valid.src", "valid.trg", "--valid-metrics",
                       "bleu", "--valid-beam-size", "2"});
  EXPECT_THAT(run(wrong).errors, HasSubstr("--valid-beam-size: a model of --generation"));
  wrong = toy_training(1, {"--overwrite", "--teacher", "teacher.safetensors"});
  EXPECT_THAT(run(wrong).errors, HasSubstr("which has no distribution given the previous"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Generation, testing::ValuesIn(kGenerationKinds),
                         [](const auto& name) { return std::string(name.param.name); });

TEST(CtcTraining, ValidatesOnTheTargetsThatFit) {
  const auto cross_entropy = [](const std::string& source, const std::string& target) {
    const Scratch folder;
    folder.file("train.src", "w1 w2 w3\nw1 w2 w3\n");
    folder.file("train.trg", "w1 w2\nw3 w4 w5\n");
    folder.file("valid.src", source);
    folder.file("valid.trg", target);
    const ProcessResult result =
        run_weft(toy_training(1, {"--generation", "ctc", "--label-smoothing", "0", "--valid-sets",
                                  "valid.src", "valid.trg", "--valid-metrics", "cross-entropy"}),
                 {.folder = folder.folder()});
    const size_t found = result.errors.find("cross-entropy ");
    EXPECT_NE(found, std::string::npos) << result.errors;
    return result.errors.substr(found, result.errors.find_first_of(" \n", found + 14) - found);
  };
  EXPECT_EQ(cross_entropy("w1 w2\nw1\n", "w1\nw1 w2 w3 w4 w5 w1 w2\n"),
            cross_entropy("w1 w2\n", "w1\n"));
}

TEST(CtcTraining, ReportsTargetsThatDoNotFit) {
  const Scratch folder;
  folder.file("train.src", "w1\nw1 w2 w3\n");
  folder.file("train.trg", "w1 w2 w3 w4 w5\nw1 w2\n");
  const ProcessResult result =
      run_weft(toy_training(1, {"--generation", "ctc", "--label-smoothing", "0"}),
               {.folder = folder.folder()});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("1 of 2 targets of --train-sets do not fit"));
  EXPECT_THAT(
      run_weft(toy_training(1, {"--generation", "ctc"}), {.folder = folder.folder()}).errors,
      HasSubstr("--label-smoothing: --generation ctc has no single target"));
  // A word and its end have four positions; three equal words need five, with a blank between.
  folder.file("train.src", "w1\n");
  folder.file("train.trg", "w1 w1 w1\n");
  const ProcessResult none =
      run_weft(toy_training(1, {"--generation", "ctc", "--label-smoothing", "0", "--overwrite"}),
               {.folder = folder.folder()});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.errors, HasSubstr("--ctc-upsampling: no target of --train-sets fits"));
}

}  // namespace
}  // namespace weft::test
