// Transformers with the kinds of attention that have parameters or grouped heads: they learn,
// translate identically in any batch and can be quantised.
#include <gtest/gtest.h>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/e2e/translating.h"

namespace weft::test {
namespace {

struct AttentionKind {
  const char* name;
  std::vector<std::string> options;
  friend std::ostream& operator<<(std::ostream& out, const AttentionKind& k) {
    return out << k.name;
  }
};

const AttentionKind kAttentionKinds[] = {
    {"Linformer",
     {"--attention", "linformer", "--attention-in", "encoder", "--attention-keys", "8"}},
    {"Average", {"--attention", "average", "--attention-in", "decoder"}},
    {"DenseSynthesizer", {"--attention", "synthesizer-dense"}},
    {"Centroids",
     {"--attention", "clustered", "--attention-clusters", "2", "--position", "learned"}},
    {"SortedBlocks",
     {"--attention", "sinkhorn", "--attention-in", "encoder", "--attention-block", "3"}},
};

class EveryAttention : public testing::TestWithParam<AttentionKind> {
 protected:
  EveryAttention() {
    const ToyText train = toy_text(1, 1500);
    folder_.file("train.src", train.source);
    folder_.file("train.trg", train.target);
  }
  ProcessResult run(const std::vector<std::string>& args, const std::string& input = "") const {
    return run_weft(args, {.input = input, .folder = folder_.folder()});
  }
  ProcessResult train(const std::vector<std::string>& more) const {
    std::vector<std::string> args = learning(
        "--transformer-heads 4 --transformer-dim-ffn 128 --lr-warmup 30 --learn-rate 0.005 "
        "--disp-freq 50 --threads 2",
        more);
    args.insert(args.end(), GetParam().options.begin(), GetParam().options.end());
    return run(args);
  }

  Scratch folder_;
};

TEST_P(EveryAttention, LearnsTranslatesAndIsQuantised) {
  const ToyText valid = toy_text(2, 40);
  const ProcessResult trained = train({"--after", "300u"});
  ASSERT_EQ(trained.status, 0) << trained.errors;
  const auto right = [&](const std::string& model, const std::string& batch) {
    const ProcessResult result =
        run({"translate", "-m", model, "-b", "3", "--mini-batch", batch}, valid.source);
    EXPECT_EQ(result.status, 0) << result.errors;
    return std::pair(lines_alike(result.output, valid.target), result.output);
  };
  const auto [count, output] = right("model.safetensors", "1");
  EXPECT_GE(count, 15) << trained.errors;
  EXPECT_EQ(right("model.safetensors", "7").second, output);
  ASSERT_EQ(run({"quantize", "-m", "model.safetensors", "-o", "small.safetensors"}).status, 0);
  EXPECT_GE(right("small.safetensors", "32").first, 15);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryAttention, testing::ValuesIn(kAttentionKinds),
                         [](const auto& name) { return std::string(name.param.name); });

}  // namespace
}  // namespace weft::test
