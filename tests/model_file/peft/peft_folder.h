// The folders of tests/golden/peft, which tools/golden/peft_adapters.py made.
#ifndef WEFT_TESTS_MODEL_FILE_PEFT_PEFT_FOLDER_H_
#define WEFT_TESTS_MODEL_FILE_PEFT_PEFT_FOLDER_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/model_file/language_model_folder.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/formats/safetensors.h"
#include "weft/model_file/adapter.h"
#include "weft/model_file/peft/read_peft.h"

namespace weft::model_file {

// An adapter, and the model of tests/golden/language_models that it is for.
struct GoldenAdapter {
  const char* name;
  const char* base;
};
inline constexpr GoldenAdapter kGoldenAdapters[] = {
    {"llama", "llama"}, {"llama_patterns", "llama"}, {"gemma3", "gemma3"}, {"gpt2", "gpt2"}};

// A copy of such a folder.
class PeftFolder {
 public:
  explicit PeftFolder(const std::string& name) {
    std::filesystem::copy(test::source_path("tests/golden/peft/" + name), folder_.folder());
  }
  const std::string& path() const { return folder_.folder(); }
  std::string path(const std::string& name) const { return folder_.path(name); }

  Json config() const { return Json::parse(test::read_bytes(path("adapter_config.json"))); }
  void config(const Json& fields) const { folder_.file("adapter_config.json", fields.dump()); }
  formats::NamedTensors tensors() const {
    const formats::SafetensorsFile file(path("adapter_model.safetensors"));
    formats::NamedTensors out;
    for (const std::string& name : file.names()) out.emplace_back(name, file.tensor(name).clone());
    return out;
  }
  void tensors(const formats::NamedTensors& tensors) const {
    formats::save_safetensors(path("adapter_model.safetensors"), tensors);
  }

 private:
  test::Scratch folder_;
};

inline void expect_same_updates(const Adapter& x, const Adapter& y) {
  ASSERT_EQ(x.updates.size(), y.updates.size());
  for (size_t i = 0; i < x.updates.size(); ++i) {
    const AdapterMatrices &a = x.updates[i], &b = y.updates[i];
    EXPECT_EQ(a.weight, b.weight);
    EXPECT_TRUE(test::same_bits(a.down, b.down)) << a.weight;
    EXPECT_TRUE(test::same_bits(a.up, b.up)) << a.weight;
  }
}

}  // namespace weft::model_file

#endif  // WEFT_TESTS_MODEL_FILE_PEFT_PEFT_FOLDER_H_
