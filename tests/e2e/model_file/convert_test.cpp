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
  ASSERT_EQ(run_weft({"convert", "--from-hf", "hf", "-o", "back.safetensors"}, here).status, 0);
  EXPECT_EQ(read_bytes(folder.path("back.safetensors")),
            read_bytes(folder.path("model.safetensors")));
}

TEST(Convert, WritesGguf) {
  const Scratch folder;
  const ProcessOptions here{.folder = folder.folder()};
  const std::string golden = source_path("tests/golden/language_models/llama/model.gguf");
  const std::vector<std::string> export_it = {"convert",   "--from-gguf", golden,   "--to-gguf",
                                              "half.gguf", "--precision", "float16"};
  const ProcessResult there = run_weft(export_it, here);
  ASSERT_EQ(there.status, 0) << there.errors;
  EXPECT_THAT(there.errors, HasSubstr("wrote half.gguf"));
  EXPECT_THAT(run_weft(export_it, here).errors,
              HasSubstr("--to-gguf: half.gguf exists; expected a new file, or --overwrite"));
  ASSERT_EQ(run_weft({"convert", "--from-gguf", "half.gguf", "-o", "m.safetensors"}, here).status,
            0);
  ASSERT_EQ(run_weft({"convert", "-m", "m.safetensors", "--to-gguf", "again.gguf", "--precision",
                      "float16"},
                     here)
                .status,
            0);
  EXPECT_EQ(read_bytes(folder.path("again.gguf")), read_bytes(folder.path("half.gguf")));
  const std::string before = read_bytes(folder.path("half.gguf"));
  EXPECT_THAT(
      run_weft({"convert", "--from-gguf", "half.gguf", "--to-gguf", "half.gguf", "--overwrite"},
               here)
          .errors,
      HasSubstr("half.gguf, which is an input"));
  EXPECT_THAT(run_weft({"convert", "--from-gguf", golden, "--check", "half.gguf", "--to-gguf",
                        "half.gguf", "--overwrite"},
                       here)
                  .errors,
              HasSubstr("half.gguf, which is an input"));
  EXPECT_EQ(read_bytes(folder.path("half.gguf")), before);
}

TEST(Convert, RefusesToOverwriteItsInput) {
  const Scratch folder;
  std::filesystem::copy(kGolden, folder.path("hf"), std::filesystem::copy_options::recursive);
  const std::string weights = folder.path("hf/model.safetensors"), before = read_bytes(weights);
  const ProcessResult result =
      run_weft({"convert", "--from-hf", folder.path("hf"), "-o", weights, "--overwrite"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, HasSubstr("hf/model.safetensors, which is an input"));
  EXPECT_EQ(read_bytes(weights), before);
}

TEST(Convert, OverwritesNothingUnasked) {
  const Scratch folder;
  const ProcessOptions here{.folder = folder.folder()};
  const std::vector<std::string> import = {"convert", "--from-hf", kGolden, "-o", "m.safetensors"};
  ASSERT_EQ(run_weft(import, here).status, 0);
  folder.file("m.safetensors", "mine");
  EXPECT_THAT(run_weft(import, here).errors,
              HasSubstr("--output: m.safetensors exists; expected a new file, or --overwrite"));
  EXPECT_EQ(read_bytes(folder.path("m.safetensors")), "mine");
  std::vector<std::string> overwriting = import;
  overwriting.emplace_back("--overwrite");
  ASSERT_EQ(run_weft(overwriting, here).status, 0);

  const std::vector<std::string> there = {"convert", "-m", "m.safetensors", "--to-hf", "hf/"};
  std::filesystem::create_directory(folder.path("hf"));
  ASSERT_EQ(run_weft(there, here).status, 0);
  EXPECT_THAT(run_weft(there, here).errors,
              HasSubstr("hf: exists; expected the name of a new or an empty folder"));
  EXPECT_THAT(folder.names(), testing::ElementsAre("hf", "m.safetensors"));
}

TEST(Convert, LeavesNothingHalfWritten) {
  const Scratch folder;
  const ProcessOptions here{.folder = folder.folder()};
  ASSERT_EQ(run_weft({"convert", "--from-hf", kGolden, "-o", "m.safetensors"}, here).status, 0);
  std::filesystem::create_directory(folder.path("hf.partial"));
  EXPECT_THAT(run_weft({"convert", "-m", "m.safetensors", "--to-hf", "hf"}, here).errors,
              HasSubstr("hf.partial: exists, of a conversion that runs or was stopped"));
  EXPECT_THAT(folder.names(), testing::ElementsAre("hf.partial", "m.safetensors"));
}

TEST(Convert, WritesHalfPrecision) {
  const Scratch folder;
  const ProcessOptions here{.folder = folder.folder()};
  ASSERT_EQ(run_weft({"convert", "--from-hf", kGolden, "-o", "m.safetensors"}, here).status, 0);
  for (const char* type : {"float16", "bfloat16"}) {
    const std::string name = type;
    ASSERT_EQ(
        run_weft({"convert", "-m", "m.safetensors", "--to-hf", name, "--precision", name}, here)
            .status,
        0);
    EXPECT_THAT(read_bytes(folder.path(name + "/config.json")),
                HasSubstr("\"dtype\": \"" + name + "\""));
    EXPECT_LT(std::filesystem::file_size(folder.path(name + "/model.safetensors")),
              std::filesystem::file_size(folder.path("m.safetensors")) * 2 / 3);
    ASSERT_EQ(run_weft({"convert", "--from-hf", name, "-o", name + ".safetensors"}, here).status,
              0);
  }
}

TEST(Convert, ReportsMissingFiles) {
  const ProcessResult result = run_weft(
      {"convert", "--from-hf", "Helsinki-NLP/opus-mt-en-it", "-o", "no-such-folder/model"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("Helsinki-NLP/opus-mt-en-it: no such folder; hint: "));
}

// The first of the pictures whose logits Transformers computed.
TEST(Convert, MakesAClassifierOfPictures) {
  const Scratch folder;
  const ProcessOptions here{.folder = folder.folder()};
  const std::string vit = source_path("tests/golden/vit_folder");
  const ProcessResult import = run_weft({"convert", "--from-hf", vit, "-o", "vit.safetensors",
                                         "--check", vit + "/logits.safetensors"},
                                        here);
  ASSERT_EQ(import.status, 0) << import.errors;
  const ProcessResult classified =
      run_weft({"classify", "-m", "vit.safetensors", "-i", vit + "/picture.png", "--scores"}, here);
  EXPECT_THAT(classified.output, testing::StartsWith("dress\t0.48117"));
  ASSERT_EQ(run_weft({"convert", "-m", "vit.safetensors", "--to-hf", "hf"}, here).status, 0);
  ASSERT_EQ(run_weft({"convert", "--from-hf", "hf", "-o", "back.safetensors"}, here).status, 0);
  EXPECT_EQ(read_bytes(folder.path("back.safetensors")),
            read_bytes(folder.path("vit.safetensors")));
}

TEST(Convert, ChecksLogits) {
  const Scratch folder;
  const std::string model = folder.path("model.safetensors");
  const ProcessResult good = run_weft(
      {"convert", "--from-hf", kGolden, "-o", model, "--check", kGolden + "/logits.safetensors"});
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

TEST(Convert, ChecksLanguageModelsAgainstOneAnother) {
  const Scratch folder;
  const ProcessOptions here{.folder = folder.folder()};
  const std::string golden = source_path("tests/golden/language_models/llama/model.gguf");
  folder.file("text", "abc bcd\nefg\n");
  const auto check = [&](const std::string& other, const std::vector<std::string>& more) {
    std::vector<std::string> args = {"convert", "--from-gguf",  golden, "--check",
                                     other,     "--check-text", "text"};
    args.insert(args.end(), more.begin(), more.end());
    return run_weft(args, here);
  };
  ASSERT_EQ(run_weft({"convert", "--from-gguf", golden, "-o", "m.safetensors", "--to-gguf",
                      "half.gguf", "--precision", "bfloat16"},
                     here)
                .status,
            0);
  const ProcessResult same = check("m.safetensors", {"--check-limit", "1e-9"});
  EXPECT_EQ(same.status, 0) << same.errors;
  EXPECT_THAT(same.output, testing::AllOf(HasSubstr("mean KL divergence: 0 nats per token\n"),
                                          HasSubstr("same most probable token: 100.00 %\n"),
                                          HasSubstr("same greedy text: 2 of 2 lines, 16 tokens")));
  folder.file("text", "abc bcd\n" + std::string(25, 'a') + "\n");  // the second line is too long
  const ProcessResult longer = check("m.safetensors", {});
  EXPECT_THAT(longer.output, HasSubstr("same greedy text: 1 of 1 lines"));
  EXPECT_THAT(
      longer.errors,
      HasSubstr("1 line not continued: with 16 tokens more over the context limit of a model"));
  folder.file("text", "abc bcd\nefg\n");
  const ProcessResult rounded = check("half.gguf", {"--check-limit", "1e-12", "-o", "new"});
  EXPECT_EQ(rounded.status, 1);
  EXPECT_THAT(rounded.errors, HasSubstr("half.gguf: a mean KL divergence of "));
  EXPECT_FALSE(std::filesystem::exists(folder.path("new")));
  const std::string logits = source_path("tests/golden/language_models/llama/logits.safetensors");
  EXPECT_THAT(check(logits, {}).errors,
              HasSubstr("--check-text: needs a language model in --check"));
}

TEST(Convert, LeavesNoModelIfTheCheckFails) {
  const Scratch folder;
  const std::string model = folder.path("model.safetensors");
  const ProcessResult result =
      run_weft({"convert", "--from-hf", kGolden, "-o", model, "--check", folder.path("none")});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

TEST(Convert, ReportsErrorsOfTheCommand) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{}, "expected --from-hf, --from-gguf or --model, one of them"},
      {{"-m", "x"}, "nothing to do; expected --to-hf, --to-gguf or --check"},
      {{"--from-hf", "x"}, "nothing to do; expected --output, --to-gguf or --check"},
      {{"-m", "x", "--from-hf", "a", "--to-hf", "b"},
       "expected --from-hf, --from-gguf or --model, one of"},
      {{"--from-hf", "a", "--to-hf", "b"}, "--to-hf: is not read without --model"},
      {{"-m", "x", "-o", "y"}, "--output: is not read without --from-hf"},
      {{"-m", "x", "--check", "y", "--precision", "float16"}, "--precision: is not read without"},
      {{"-m", "x", "--to-hf", "y", "--precision", "q8_0"},
       "--precision: q8_0 needs --to-gguf; expected float32, bfloat16 or float16"},
      {{"--from-hf", kGolden, "--to-gguf", "x.gguf"},
       "--to-gguf: a model of type 'seq2seq'; expected a language model"},
      {{"-o", "x", "--from-hf", "/nowhere"}, "/nowhere: no such folder; hint: "},
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
