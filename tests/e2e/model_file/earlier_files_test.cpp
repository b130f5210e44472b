// Files of the first released format (format_1/): a model and its training state after 40 updates,
// translations of that release with the model, and its weights after 5 more updates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/program.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "weft/formats/safetensors.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

constexpr size_t kTranslatedBytes = 66;  // of the source, 5 lines
const std::string kFolder = source_path("tests/e2e/model_file/format_1/");

class EarlierFiles : public testing::Test {
 protected:
  EarlierFiles() {
    for (const char* name : {"model.safetensors", "model.training.safetensors", "train.src",
                             "train.trg", "src.vocab", "trg.vocab"}) {
      scratch_.file(name, read_bytes(kFolder + name));
    }
  }
  ProcessResult train(const std::string& after) const {
    return run_weft({"train",
                     "-m",
                     "model.safetensors",
                     "-t",
                     "train.src",
                     "train.trg",
                     "-v",
                     "src.vocab",
                     "trg.vocab",
                     "--vocab-type",
                     "word",
                     "--enc-depth",
                     "1",
                     "--dec-depth",
                     "1",
                     "--dim-emb",
                     "8",
                     "--transformer-heads",
                     "2",
                     "--transformer-dim-ffn",
                     "8",
                     "--after",
                     after,
                     "--save-freq",
                     "40u",
                     "--mini-batch-words",
                     "200",
                     "--learn-rate",
                     "0.01",
                     "--lr-warmup",
                     "4",
                     "--transformer-dropout",
                     "0.1",
                     "--exponential-smoothing",
                     "0.1",
                     "--precision",
                     "float32",
                     "--threads",
                     "1",
                     "--valid-sets",
                     "train.src",
                     "train.trg",
                     "--valid-freq",
                     "20u"},
                    {.folder = scratch_.folder()});
  }

  Scratch scratch_;
};

TEST_F(EarlierFiles, GiveTheSameTranslations) {
  const std::string lines = read_bytes(kFolder + "train.src").substr(0, kTranslatedBytes);
  const ProcessResult got = run_weft({"translate", "-m", "model.safetensors", "-b", "2",
                                      "--min-length", "3", "--normalize", "0", "--quiet"},
                                     {.input = lines, .folder = scratch_.folder()});
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.output, read_bytes(kFolder + "translations.txt"));
}

// Bit-identical on the same kind of processor; others round sums differently. Softmax does not
// change when a number is added to all scores, so the gradient of a bias of keys is nothing but
// rounding, which Adam makes as large as any other.
TEST_F(EarlierFiles, ResumeToTheSameWeights) {
  const ProcessResult got = train("45u");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_THAT(got.errors, HasSubstr("update 40"));
  const formats::SafetensorsFile expected(kFolder + "resumed.safetensors"),
      resumed(scratch_.path("model.safetensors"));
  ASSERT_EQ(resumed.names(), expected.names());
  for (const std::string& name : expected.names()) {
    const Tensor a = expected.tensor(name), b = resumed.tensor(name);
    ASSERT_EQ(a.shape(), b.shape()) << name;
    if (a.dtype() != DType::kF32 || name.ends_with(".k_proj.bias")) continue;
    for (int64_t i = 0; i < a.size(); ++i) {
      ASSERT_NEAR(a.data<float>()[i], b.data<float>()[i], 1e-6) << name << " " << i;
    }
  }
}

}  // namespace
}  // namespace weft::test
