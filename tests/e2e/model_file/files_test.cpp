// Files shared by all commands: models behind symbolic links, and damaged ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  Files() { write_toy_text(folder_); }
  ProcessResult run(const std::vector<std::string>& args) const {
    return run_weft(args, {.folder = folder_.folder()});
  }

  Scratch folder_;
};

// The training state is next to the given path; the target of a link is replaced.
TEST_F(Files, ThatAreLinksStayAndTheirTargetsAreReplaced) {
  const auto link = [&](const char* to, const char* name) {
    std::filesystem::create_symlink(to, folder_.path(name));
  };
  std::filesystem::create_directory(folder_.path("far"));
  for (const char* name : {"model.safetensors", "model.training.safetensors", "small.safetensors",
                           "back.safetensors", "out", "trace"}) {
    link((std::string("far/") + name).c_str(), name);
  }
  for (const int updates : {5, 10}) {
    const ProcessResult trained =
        run(toy_training(updates, {"--profile-trace", "trace", "--transformer-norm", "post"}));
    ASSERT_EQ(trained.status, 0) << trained.errors;
  }
  EXPECT_EQ(updates_done(folder_), 10);
  for (const char* to : {"small.safetensors", "model.safetensors"}) {
    ASSERT_EQ(
        run({"quantize", "-m", "model.safetensors", "-o", to, "--precision", "float32"}).status, 0);
  }
  ASSERT_EQ(run({"convert", "-m", "model.safetensors", "--to-hf", "hf"}).status, 0);
  ASSERT_EQ(run({"convert", "--from-hf", "hf", "-o", "back.safetensors"}).status, 0);
  ASSERT_EQ(run({"translate", "-m", "model.safetensors", "-i", "valid.src", "-o", "out"}).status,
            0);
  for (const char* name : {"model.safetensors", "model.training.safetensors", "small.safetensors",
                           "back.safetensors", "out", "trace"}) {
    EXPECT_TRUE(std::filesystem::is_symlink(folder_.path(name))) << name;
    EXPECT_TRUE(std::filesystem::is_regular_file(folder_.path("far/" + std::string(name)))) << name;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path("far")), {}), 6);
}

TEST_F(Files, WithAChangedByteAreReportedIfVerified) {
  ASSERT_EQ(run(toy_training(2)).status, 0);
  std::string bytes = read_bytes(folder_.path("model.safetensors"));
  bytes[bytes.size() / 2] ^= 1;
  folder_.file("model.safetensors", bytes);
  for (std::vector<std::string> command :
       std::vector<std::vector<std::string>>{{"translate", "-i", "valid.src"},
                                             {"score", "-t", "valid.src", "valid.trg"},
                                             {"bench", "decode", "-i", "valid.src"},
                                             {"quantize", "-o", "small.safetensors"},
                                             {"convert", "--to-hf", "hf"}}) {
    command.insert(command.end(), {"-m", "model.safetensors", "--check-models"});
    const ProcessResult result = run(command);
    EXPECT_EQ(result.status, 1) << command[0];
    EXPECT_THAT(result.errors, HasSubstr("model.safetensors: checksum mismatch; expected "));
  }
}

}  // namespace
}  // namespace weft::test
