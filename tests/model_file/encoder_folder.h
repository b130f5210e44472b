// The folders of tests/golden/encoders.
#ifndef WEFT_TESTS_MODEL_FILE_ENCODER_FOLDER_H_
#define WEFT_TESTS_MODEL_FILE_ENCODER_FOLDER_H_

#include <filesystem>
#include <string>

#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/model_file/embedder.h"
#include "weft/model_file/hugging_face/folder.h"

namespace weft::model_file {

// A copy of a folder.
class EncoderFolder {
 public:
  explicit EncoderFolder(const std::string& name) {
    std::filesystem::copy(test::source_path("tests/golden/encoders/" + name), folder_.folder(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
  }
  std::string path(const std::string& name = "") const { return folder_.path(name); }
  template <class Session = EmbedderSession>
  Session read() const {
    return HuggingFaceModel(folder_.folder(), Session::kKind).load<Session>();
  }
  // The error of the folder with another value of a field.
  std::string message_with(const char* file, const std::string& field, const Json& value) const {
    const std::string before = test::read_bytes(path(file));
    Json fields = Json::parse(before);
    fields[field] = value;
    this->file(file, fields.dump());
    std::string message = test::message_of<Error>([&] { read(); });
    this->file(file, before);
    return message;
  }
  void file(const std::string& name, const std::string& content) const {
    folder_.file(name, content);
  }

 private:
  test::Scratch folder_;
};

}  // namespace weft::model_file

#endif  // WEFT_TESTS_MODEL_FILE_ENCODER_FOLDER_H_
