// With --preset auto, options that are not given follow the amount of data, unless a training is
// resumed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Presets : public testing::Test {
 protected:
  Presets() { write_toy_text(folder_), write_toy_text(other_); }

  static ProcessResult train(const Scratch& folder, int updates,
                             const std::vector<std::string>& more = {}) {
    return run_weft(toy_training(updates, more), {.folder = folder.folder()});
  }
  ProcessResult run(const std::string& command) const {
    return run_weft(words_of(command), {.folder = folder_.folder()});
  }

  Scratch folder_, other_;
};

TEST_F(Presets, AreSaidWithTheReasonAndWhatToGiveInstead) {
  const ProcessResult plain =
      run("train -t train.src train.trg -v src.vocab trg.vocab -m model.safetensors --after 2u "
          "--enc-depth 1 --preset auto");
  EXPECT_EQ(plain.status, 0) << plain.errors;
  EXPECT_THAT(plain.errors, HasSubstr("preset tiny, 300 pairs for training (up to 1999): "));
  EXPECT_THAT(plain.errors, HasSubstr(" --dim-emb 128 "));
  EXPECT_THAT(plain.errors, Not(HasSubstr("--enc-depth")));  // given
  EXPECT_THAT(plain.errors, HasSubstr("hint: give any of these options another value, or --preset "
                                      "none|small|medium|large"));
}

TEST_F(Presets, NoneIsTheFixedDefaults) {
  EXPECT_EQ(train(folder_, 6, {"--preset", "none"}).status, 0);
  const ProcessResult given =
      train(other_, 6,
            words_of("--preset auto --transformer-norm post --no-tied-embeddings "
                     "--average-share 0"));
  EXPECT_EQ(given.status, 0) << given.errors;
  EXPECT_THAT(given.errors, Not(HasSubstr("preset")));
  expect_same_files(other_, folder_);
}

TEST_F(Presets, AResumedTrainingHasTheOptionsThatItBeganWith) {
  EXPECT_EQ(train(folder_, 4, {"--preset", "none"}).status, 0);
  expect_to_end_as_if_never_interrupted(
      folder_, other_, 9, [&](const Scratch& folder, int updates) {
        const bool resumes = &folder == &folder_;
        return train(folder, updates, words_of(resumes ? "--preset auto" : "--preset none"));
      });
  const ProcessResult other = train(folder_, 10, {"--preset", "tiny"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.errors,
              HasSubstr("training began with --transformer-norm post, now it is pre"));
}

TEST_F(Presets, APretrainedModelHasItsOwnShape) {
  EXPECT_EQ(train(folder_, 2, {"--preset", "none"}).status, 0);
  const ProcessResult tuned =
      run("train -t train.src train.trg -v src.vocab trg.vocab -m tuned.safetensors --after 2u "
          "--preset auto --pretrained-model model.safetensors");
  EXPECT_EQ(tuned.status, 0) << tuned.errors;
}

TEST_F(Presets, AreInTheDumpedOptions) {
  const ProcessResult dump =
      run("train -t train.src train.trg -v src.vocab trg.vocab --preset auto "
          "--dump-config minimal");
  EXPECT_THAT(dump.output, HasSubstr("dim-emb: 128\n"));
  EXPECT_THAT(run("train --dump-config").output, HasSubstr("dim-emb: 512\n"));
}

TEST_F(Presets, ContradictMariansOnes) {
  const ProcessResult both = train(folder_, 2, words_of("--task transformer-tiny --preset tiny"));
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.errors, HasSubstr("--preset: contradicts --task; expected one of them"));
  const ProcessResult one = train(folder_, 2, words_of("--task transformer-tiny"));
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(one.errors, Not(HasSubstr("preset")));
}

}  // namespace
}  // namespace weft::test
