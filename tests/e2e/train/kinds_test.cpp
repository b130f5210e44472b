// Models of every --type: they learn, translate, score, can be quantised and resume after a kill
// like the Transformer, and report unsupported options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/e2e/translating.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

std::vector<std::string> training(int updates, const std::vector<std::string>& kind) {
  return learning(
      "--dropout-rnn 0.1 --lr-warmup 30 --learn-rate 0.008 --disp-freq 10 --threads 2 "
      "--after " +
          std::to_string(updates) + "u",
      kind);
}

struct ModelKind {
  const char* name;
  std::vector<std::string> options;
  friend std::ostream& operator<<(std::ostream& out, const ModelKind& k) { return out << k.name; }
};

const ModelKind kModelKinds[] = {
    {"Rnn", {"--type", "rnn"}},
    {"RnnAttention", {"--type", "rnn-attention", "--rnn-cell", "gru"}},
    {"RnnAttentionLuong", {"--type", "rnn-attention", "--rnn-attention", "luong"}},
    {"Cnn", {"--type", "cnn"}},
};

class EveryKind : public testing::TestWithParam<ModelKind> {
 protected:
  EveryKind() {
    const ToyText train = toy_text(1, 1500), valid = toy_text(2, 40);
    for (const Scratch* folder : {&folder_, &reference_}) {
      folder->file("train.src", train.source);
      folder->file("train.trg", train.target);
    }
    source_ = valid.source, target_ = valid.target;
  }
  ProcessResult run(std::vector<std::string> args, const std::string& input = "") const {
    return run_weft(std::move(args), {.input = input, .folder = folder_.folder()});
  }
  // Lines translated into the same words in reverse.
  int64_t right(const std::string& output) const { return lines_alike(output, target_); }

  Scratch folder_, reference_;
  std::string source_, target_;
};

TEST_P(EveryKind, LearnsTranslatesScoresAndIsQuantised) {
  const ProcessResult trained = run(training(300, GetParam().options));
  ASSERT_EQ(trained.status, 0) << trained.errors;
  const std::vector<std::string> translate = {"translate", "-m", "model.safetensors", "-b", "3"};
  const ProcessResult result = run(translate, source_);
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_GE(right(result.output), 15) << trained.errors;
  for (const char* batch : {"1", "7"}) {
    std::vector<std::string> other = translate;
    other.insert(other.end(), {"--mini-batch", batch});
    EXPECT_EQ(run(other, source_).output, result.output) << batch;
  }
  folder_.file("valid.src", source_);
  folder_.file("valid.trg", target_);
  const ProcessResult scores =
      run({"score", "-m", "model.safetensors", "-t", "valid.src", "valid.trg"});
  EXPECT_EQ(scores.status, 0) << scores.errors;
  EXPECT_EQ(split_lines(scores.output).size(), 40u);
  ASSERT_EQ(run({"quantize", "-m", "model.safetensors", "-o", "small.safetensors"}).status, 0);
  const ProcessResult small = run({"translate", "-m", "small.safetensors", "-b", "3"}, source_);
  EXPECT_GE(right(small.output), 15) << small.errors;
  const ProcessResult both =
      run({"translate", "-m", "model.safetensors", "small.safetensors"}, source_);
  EXPECT_GE(right(both.output), 15) << both.errors;
}

TEST_P(EveryKind, ResumesBitExactly) {
  std::vector<std::string> options = GetParam().options;
  options.insert(options.end(), {"--save-freq", "5u"});
  ASSERT_EQ(run(training(12, options)).status, 0);
  expect_to_end_as_if_never_interrupted(
      folder_, reference_, 25, [&](const Scratch& folder, int updates) {
        return run_weft(training(updates, options), {.folder = folder.folder()});
      });
}

TEST_P(EveryKind, ReportsUnsupportedOptions) {
  ASSERT_EQ(run(training(1, GetParam().options)).status, 0);
  const ProcessResult there = run({"convert", "-m", "model.safetensors", "--to-hf", "hf"});
  EXPECT_EQ(there.status, 2);
  EXPECT_THAT(there.errors, HasSubstr("--type: Marian models in Transformers support only"));
  std::vector<std::string> options = GetParam().options;
  options.insert(options.end(), {"--transformer-heads", "4", "--overwrite"});
  EXPECT_THAT(run(training(1, options)).errors,
              HasSubstr("--transformer-heads: belongs to --type transformer"));
  options.resize(GetParam().options.size());
  options.insert(options.end(), {"--task", "transformer-tiny", "--overwrite"});
  EXPECT_THAT(run(training(1, options)).errors,
              HasSubstr("--task transformer-tiny: transformer-heads: belongs to --type"));
  options.resize(GetParam().options.size());
  options.insert(options.end(), {"--gradient-checkpointing", "--overwrite"});
  EXPECT_THAT(run(training(1, options)).errors,
              HasSubstr("--gradient-checkpointing: is implemented for Transformer layers"));
  const ProcessResult covered =
      run({"translate", "-m", "model.safetensors", "--coverage-penalty", "0.2"}, source_);
  const ProcessResult aligned =
      run({"translate", "-m", "model.safetensors", "--alignment", "soft"}, source_);
  if (std::string(GetParam().name) == "Rnn") {
    EXPECT_THAT(covered.errors, HasSubstr("a model of type rnn does not attend to its source"));
    EXPECT_THAT(aligned.errors, HasSubstr("a model of type rnn does not attend to its source"));
  } else {
    EXPECT_EQ(covered.status, 0) << covered.errors;
    EXPECT_EQ(aligned.status, 0) << aligned.errors;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EveryKind, testing::ValuesIn(kModelKinds),
                         [](const auto& name) { return std::string(name.param.name); });

}  // namespace
}  // namespace weft::test
