// The file of tokenised text, changed by others while a training reads it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/train/small_training.h"

namespace weft::train {
namespace {

using testing::HasSubstr;

TranslationOptions cached(const Scratch& folder) {
  TranslationOptions o = small(folder);
  o.data.corpus_cache = folder.folder();
  o.loop.after = options::Period::updates(60);
  o.loop.save_freq = options::Period::updates(5);
  return o;
}

std::string cache_of(const Scratch& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder.folder())) {
    if (entry.path().extension() == ".corpus") return entry.path().string();
  }
  return "";
}

// Adds 1 to the first byte of what may be an id, anywhere in the file.
void overwrite(const std::string& path) {
  const std::string bytes = test::read_bytes(path);
  std::fstream file(path, std::ios::in | std::ios::out);
  for (size_t place = 0; place < bytes.size(); place += 4) {
    file.seekp(std::streamoff(place)).put(static_cast<char>(bytes[place] ^ 1));
  }
}

TEST(ChangedCorpus, EndsATrainingByAnErrorAndChangesNoModel) {
  const Scratch whole;
  train(cached(whole));
  const auto cut_off = [](const std::string& path) { std::filesystem::resize_file(path, 64); };
  for (const auto& change : std::vector<std::function<void(std::string)>>{cut_off, overwrite}) {
    const Scratch folder;
    const TranslationOptions o = cached(folder);
    const std::atomic<bool> stop{false};
    std::string message;
    try {
      Trainer(task_of(o)).run(stop, [&](const UpdateReport& report) {
        if (report.progress.updates == 12) change(cache_of(folder));
      });
    } catch (const FileError& error) {
      message = error.what();
    }
    EXPECT_THAT(message, HasSubstr(".corpus: was changed while it was in use; hint: "));
    train(o);
    EXPECT_EQ(model_bytes(folder), model_bytes(whole));
  }
}

}  // namespace
}  // namespace weft::train
