// Folders of models from elsewhere, damaged: one value of a JSON file or of the header of the
// tensors is replaced or removed. Each is loaded and used, or refused by an error that names it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/damage.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "weft/classify.h"
#include "weft/embed.h"
#include "weft/error.h"
#include "weft/fill.h"
#include "weft/model.h"
#include "weft/tag.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr int kDamages = 60;   // of each file
constexpr size_t kLength = 8;  // bytes of the length before the header of a .safetensors file

// A copy of a folder of tests/golden whose files are damaged one at a time.
class DamagedFolder {
 public:
  explicit DamagedFolder(const std::string& name) {
    fs::copy(test::source_path("tests/golden/" + name), copy_.folder(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    for (const auto& entry : fs::recursive_directory_iterator(copy_.folder())) {
      const std::string file = fs::relative(entry.path(), copy_.folder()).string();
      if (file.ends_with(".json") || file.ends_with("model.safetensors")) files_.push_back(file);
    }
    std::ranges::sort(files_);
  }

  const std::string& path() const { return copy_.folder(); }
  const std::vector<std::string>& files() const { return files_; }
  std::string bytes(const std::string& file) const { return test::read_bytes(copy_.path(file)); }
  void write(const std::string& file, const std::string& bytes) const { copy_.file(file, bytes); }

  // The bytes of a file with one damage.
  static std::string damaged(const std::string& bytes, test::Numbers& numbers) {
    if (bytes.front() == '{' || bytes.front() == '[') {
      auto json = nlohmann::ordered_json::parse(bytes);
      test::damage(json, numbers);
      return json.dump();
    }
    if (numbers.below(6) == 0) return bytes.substr(0, numbers.below(bytes.size()));
    size_t length = 0;
    for (size_t i = 0; i < kLength; ++i) {
      length |= static_cast<size_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    auto header = nlohmann::ordered_json::parse(bytes.substr(kLength, length));
    test::damage(header, numbers);
    const std::string text = header.dump();
    std::string out;
    for (size_t i = 0; i < kLength; ++i) out += static_cast<char>(text.size() >> (8 * i));
    return out + text + bytes.substr(kLength + length);
  }

 private:
  test::Scratch copy_;
  std::vector<std::string> files_;
};

void use(const Model& model) {
  const std::vector<std::string> texts = {"", "The quick brown fox.", "\xFF \xE2\x82 a [MASK]"};
  if (model.kind() == "embedder") Embedder(model).embed(texts);
  if (model.kind() == "tagger") Tagger(model).tag(texts);
  if (model.kind() == "masked-lm") MaskFiller(model).fill(texts);
  if (model.kind() == "classifier" && Classifier(model).input() == "text") {
    Classifier(model).classify(texts);
  }
}

class HostileFolders : public testing::TestWithParam<const char*> {};

TEST_P(HostileFolders, AreLoadedOrRefusedByName) {
  const DamagedFolder folder(GetParam());
  ASSERT_NO_THROW(use(load(folder.path())));
  int loaded = 0, refused = 0;
  for (const std::string& file : folder.files()) {
    const std::string bytes = folder.bytes(file);
    test::Numbers numbers(1);
    for (int i = 0; i < kDamages; ++i) {
      const std::string damaged = DamagedFolder::damaged(bytes, numbers);
      SCOPED_TRACE(file + ", damage " + std::to_string(i));
      folder.write(file, damaged);
      try {
        use(load(folder.path()));
        ++loaded;
      } catch (const Error& error) {
        ++refused;
        EXPECT_NE(std::string(error.what()).find(folder.path()), std::string::npos) << error.what();
      } catch (const std::exception& error) {
        ADD_FAILURE() << "not an error of Weft: " << error.what() << "\n"
                      << damaged.substr(0, 2000);
      }
    }
    folder.write(file, bytes);
  }
  EXPECT_GT(loaded, kDamages / 4);
  EXPECT_GT(refused, kDamages / 4);
}

INSTANTIATE_TEST_SUITE_P(
    Encoders, HostileFolders,
    testing::Values("encoders/bert", "encoders/bert_classifier", "encoders/bert_dense",
                    "encoders/bert_masked_lm", "encoders/bert_tagger", "encoders/distilbert",
                    "encoders/distilbert_classifier", "encoders/distilbert_masked_lm",
                    "encoders/distilbert_tagger", "encoders/modernbert",
                    "encoders/modernbert_classifier", "encoders/modernbert_masked_lm",
                    "encoders/modernbert_tagger", "encoders/roberta", "encoders/roberta_classifier",
                    "encoders/roberta_masked_lm", "encoders/roberta_tagger", "encoders/xlm_roberta",
                    "encoders/xlm_roberta_classifier", "encoders/xlm_roberta_masked_lm"),
    [](const auto& named) {
      std::string name(named.param);
      return name.substr(name.find('/') + 1);
    });

INSTANTIATE_TEST_SUITE_P(Others, HostileFolders,
                         testing::Values("t5_first", "t5_gated", "vit_folder"),
                         [](const auto& named) { return std::string(named.param); });

}  // namespace
}  // namespace weft
