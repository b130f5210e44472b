// The folders of tests/golden/language_models.
#ifndef WEFT_TESTS_MODEL_FILE_LANGUAGE_MODEL_FOLDER_H_
#define WEFT_TESTS_MODEL_FILE_LANGUAGE_MODEL_FOLDER_H_

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/data/text/sentencepiece.h"
#include "weft/model_file/hugging_face/folder.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {

// A copy of a folder, with a tokeniser.
class LanguageModelFolder {
 public:
  explicit LanguageModelFolder(const std::string& name) {
    std::filesystem::copy(test::source_path("tests/golden/language_models/" + name),
                          folder_.folder(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
    const std::vector<std::string> lines = {"a small text of some words", "another one"};
    folder_.file("tokenizer.model",
                 data::train_sentencepiece(lines, {.size = 30, .type = "bpe"}, "test"));
  }
  std::string path(const std::string& name = "") const { return folder_.path(name); }
  LanguageModelSession read() const {
    return HuggingFaceModel(folder_.folder()).load<LanguageModelSession>();
  }
  std::string message_with(const std::string& field, const Json& value,
                           const char* file = "config.json") const {
    const std::string before = test::read_bytes(path(file));
    Json fields = Json::parse(before);
    fields[field] = value;
    folder_.file(file, fields.dump());
    std::string message = test::message_of<Error>([&] { read(); });
    folder_.file(file, before);
    return message;
  }
  void file(const std::string& name, const std::string& content) const {
    folder_.file(name, content);
  }

 private:
  test::Scratch folder_;
};

}  // namespace weft::model_file

#endif  // WEFT_TESTS_MODEL_FILE_LANGUAGE_MODEL_FOLDER_H_
