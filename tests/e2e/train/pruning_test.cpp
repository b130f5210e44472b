// weft train --prune-heads, and what is done with a model that lacks heads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/training.h"
#include "tests/e2e/translating.h"
#include "tests/tasks/labels/toy_tags.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Pruning : public testing::Test {
 protected:
  ProcessResult run(const std::vector<std::string>& args, const std::string& input = "") const {
    return run_weft(args, {.input = input, .folder = scratch_.folder()});
  }
  // Trains a model of one layer of 2 heads on both sides, and writes text for it.
  void train_whole_model() const {
    write_toy_text(scratch_);
    const ProcessResult result = run(toy_training(20, {"--transformer-norm", "post"}));
    ASSERT_EQ(result.status, 0) << result.errors;
    std::filesystem::rename(scratch_.path("model.safetensors"), scratch_.path("whole"));
    std::filesystem::remove(scratch_.path(kToyState));
  }
  ProcessResult prune(const std::string& heads, int updates = 4) const {
    return run(toy_training(updates, words_of("--pretrained-model whole --prune-heads " + heads)));
  }

  Scratch scratch_;
};

TEST_F(Pruning, MakesASmallerModelThatDoesEverythingElse) {
  train_whole_model();
  const ProcessResult pruned = prune("encoder.1.2 decoder-cross.1.1");
  ASSERT_EQ(pruned.status, 0) << pruned.errors;
  EXPECT_LT(std::filesystem::file_size(scratch_.path("model.safetensors")) + 2 * 4 * 32 * 64,
            std::filesystem::file_size(scratch_.path("whole")));
  const std::string source = read_bytes(scratch_.path("valid.src"));
  for (const char* precision : {"float32", "bfloat16", "int8"}) {
    const ProcessResult translated =
        run({"translate", "-m", "model.safetensors", "--precision", precision}, source);
    ASSERT_EQ(translated.status, 0) << translated.errors;
    EXPECT_EQ(split_lines(translated.output).size(), 20u);
  }
  ASSERT_EQ(run(words_of("quantize -m model.safetensors -o int8")).status, 0);
  EXPECT_EQ(run({"translate", "-m", "int8"}, source).output,
            run(words_of("translate -m model.safetensors --precision int8"), source).output);
  const ProcessResult ablated =
      run(words_of("inspect -m model.safetensors --ablate valid.src valid.trg"));
  ASSERT_EQ(ablated.status, 0) << ablated.errors;
  EXPECT_EQ(split_lines(ablated.output).size(), 3u + 4);
  EXPECT_THAT(ablated.output, HasSubstr("encoder self              1      1"));
  EXPECT_THAT(ablated.output, Not(HasSubstr("encoder self              1      2")));
  EXPECT_THAT(run(words_of("inspect -m model.safetensors")).output,
              HasSubstr(R"(prune-heads: ["encoder.1.2","decoder-cross.1.1"])"));
  EXPECT_THAT(run({"translate", "-m", "model.safetensors", "--alignment", "hard",
                   "--alignment-heads", "1.1"},
                  source)
                  .errors,
              HasSubstr("the head '1.1' is pruned; layer 1 still has 2"));
  EXPECT_THAT(run(words_of("convert -m model.safetensors --to-hf folder")).errors,
              HasSubstr("--prune-heads: Marian models in Transformers support only"));
}

TEST_F(Pruning, ResumesExactly) {
  train_whole_model();
  ASSERT_EQ(prune("decoder.1.1", 6).status, 0);
  const std::string expected = read_bytes(scratch_.path("model.safetensors"));
  for (const char* name : {"model.safetensors", kToyState}) {
    std::filesystem::remove(scratch_.path(name));
  }
  ASSERT_EQ(prune("decoder.1.1", 3).status, 0);
  EXPECT_THAT(prune("decoder.1.2", 6).errors,
              HasSubstr("training began with --prune-heads decoder.1.1, now it is decoder.1.2"));
  ASSERT_EQ(prune("decoder.1.1", 6).status, 0);
  EXPECT_TRUE(read_bytes(scratch_.path("model.safetensors")) == expected);
}

TEST_F(Pruning, RefusesWhatIsNotThere) {
  train_whole_model();
  for (const auto& [heads, message] :
       {std::pair("encoder.2.1", "'encoder.2.1' is no head of the model; expected encoder.1.1 to "),
        std::pair("decoder.1.1 decoder.1.2", "names 2 of the 2 heads of decoder.1"),
        std::pair("encoder.1.1 --position alibi", "--position alibi has a number for each head")}) {
    const ProcessResult result = prune(heads);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.errors, HasSubstr(std::string("--prune-heads: ") + message));
    EXPECT_FALSE(std::filesystem::exists(scratch_.path("model.safetensors")));
  }
}

// The encoder of a pruned tagger has the weights of the whole one.
TEST_F(Pruning, IsForTaggersToo) {
  scratch_.file("train.tsv", tagged_text(1, 60));
  const auto train = [&](const std::string& more) {
    return run(
        words_of("train tagging -t train.tsv -v words.vocab --word-labels 1 2 --text-labels "
                 "3 --enc-depth 1 --dim-emb 32 --transformer-heads 2 --after 4u " +
                 more));
  };
  ASSERT_EQ(train("-m whole").status, 0);
  const ProcessResult pruned = train("-m some --pretrained-model whole --prune-heads encoder.1.1");
  ASSERT_EQ(pruned.status, 0) << pruned.errors;
  EXPECT_THAT(pruned.errors, HasSubstr("parameters from whole"));
  const ProcessResult tagged = run({"tag", "-m", "some"}, "w1 w7\n");
  EXPECT_EQ(split_lines(tagged.output).size(), 1u) << tagged.errors;
  EXPECT_THAT(train("-m other --prune-heads decoder.1.1").errors,
              HasSubstr("'decoder.1.1' is no head of the model; expected encoder.1.1 to "));
}

}  // namespace
}  // namespace weft::test
