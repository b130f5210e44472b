// weft convert: to the format of Hugging Face Transformers and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

const std::string kGolden = source_path("tests/golden/marian_shared");

TEST(Convert, RoundTripsATrainedModelBitExactly) {
  const Scratch folder;
  write_toy_text(folder);
  const ProcessOptions here{.folder = folder.folder()};
  ASSERT_EQ(run_weft(toy_training(3, {"--transformer-norm", "post"}), here).status, 0);
  const ProcessResult there =
      run_weft({"convert", "-m", "model.safetensors", "--to-hf", "hf"}, here);
  ASSERT_EQ(there.status, 0) << there.errors;
  EXPECT_THAT(there.errors, HasSubstr("wrote hf"));
  ASSERT_EQ(run_weft({"convert", "--from-hf", "hf", "-m", "back.safetensors"}, here).status, 0);
  EXPECT_EQ(read_bytes(folder.path("back.safetensors")),
            read_bytes(folder.path("model.safetensors")));
}

TEST(Convert, RefusesToOverwriteItsInput) {
  const Scratch folder;
  std::filesystem::copy(kGolden, folder.path("hf"), std::filesystem::copy_options::recursive);
  const std::string weights = folder.path("hf/model.safetensors"), before = read_bytes(weights);
  for (const char* way : {"--from-hf", "--to-hf"}) {
    const ProcessResult result = run_weft({"convert", way, folder.path("hf"), "-m", weights});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.errors, HasSubstr("hf/model.safetensors"));
    EXPECT_THAT(result.errors, HasSubstr("which is an input"));
    EXPECT_EQ(read_bytes(weights), before);
  }
}

TEST(Convert, ReportsMissingFiles) {
  const ProcessResult result = run_weft(
      {"convert", "--from-hf", "Helsinki-NLP/opus-mt-en-it", "-m", "no-such-folder/model"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("Helsinki-NLP/opus-mt-en-it: no such folder; hint: "));
}

TEST(Convert, ChecksLogits) {
  const Scratch folder;
  const std::string model = folder.path("model.safetensors");
  const ProcessResult good = run_weft(
      {"convert", "--from-hf", kGolden, "-m", model, "--check", kGolden + "/logits.safetensors"});
  EXPECT_EQ(good.status, 0) << good.errors;
  EXPECT_THAT(good.output, HasSubstr("largest difference of logits: "));

  // The same model except for one weight.
  std::string bytes = read_bytes(model);
  const auto* header = reinterpret_cast<const unsigned char*>(bytes.data());
  const size_t data = 8 + header[0] + (size_t{header[1]} << 8) + (size_t{header[2]} << 16);
  bytes[data + 3] ^= 1;  // of the exponent
  folder.file("other.safetensors", bytes);
  const ProcessResult bad = run_weft({"convert", "-m", folder.path("other.safetensors"), "--check",
                                      kGolden + "/logits.safetensors"});
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.errors, HasSubstr("expected at most 0.0001"));
}

TEST(Convert, LeavesNoModelIfTheCheckFails) {
  const Scratch folder;
  const std::string model = folder.path("model.safetensors");
  const ProcessResult result =
      run_weft({"convert", "--from-hf", kGolden, "-m", model, "--check", folder.path("none")});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

TEST(Convert, ReportsErrorsOfTheCommand) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"-m", "x"}, "nothing to do; expected --from-hf, --to-hf or --check"},
      {{"-m", "x", "--from-hf", "a", "--to-hf", "b"}, "--to-hf: contradicts --from-hf"},
      {{"-m", "x", "--from-hf", "/nowhere"}, "/nowhere: no such folder; hint: "},
      {{"-m", "/nowhere", "--to-hf", "b"}, "/nowhere: cannot"},
  };
  for (const auto& [args, expected] : cases) {
    std::vector<std::string> all = {"convert"};
    all.insert(all.end(), args.begin(), args.end());
    const ProcessResult result = run_weft(all);
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.errors, HasSubstr(expected));
  }
}

}  // namespace
}  // namespace weft::test
