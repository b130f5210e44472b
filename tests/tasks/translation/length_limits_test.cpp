#include "weft/tasks/translation/length_limits.h"

#include <gtest/gtest.h>

#include "tests/support/paths.h"
#include "tests/train/small_training.h"

namespace weft::tasks {
namespace {

using model_file::load;
using model_file::TranslatorSession;

// With end symbols: 3 and 9, 2 and 7, 5 and 2 tokens.
TEST(TargetLengths, AreThoseOfTheTrainingTextInTheModelFile) {
  const test::Scratch folder;
  train::TranslationOptions options = train::small(folder);
  folder.file("train.src", "a b\na\na b c d\n");
  folder.file("train.trg", "( a ( b ( c ) )\n( a ( b ) )\na\n");
  options.loop.after = options::Period::updates(1);
  train::train(options);
  const models::TargetLengths found =
      load<TranslatorSession>(folder.path("model.safetensors")).model.dims.trained_lengths;
  EXPECT_EQ(found.ratio, 7.0 / 2);
  EXPECT_EQ(found.longest, 9);
}

TEST(TargetLengths, AreNotKnownOfEarlierFiles) {
  const models::TargetLengths found =
      load<TranslatorSession>(test::source_path("tests/e2e/model_file/format_1/model.safetensors"))
          .model.dims.trained_lengths;
  EXPECT_EQ(found.ratio, 0);
  EXPECT_EQ(found.longest, 0);
}

}  // namespace
}  // namespace weft::tasks
