// Models as folders of Hugging Face Transformers: config.json, model.safetensors or its shards, and
// the files that an architecture has besides.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_FOLDER_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_FOLDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/core/files/atomic_folder.h"
#include "weft/model_file/foreign/foreign_model.h"
#include "weft/model_file/hugging_face/architecture.h"
#include "weft/model_file/hugging_face/weight_files.h"
#include "weft/model_file/session.h"
#include "weft/nn/parameters.h"

namespace weft::model_file {

// Whether it is a folder, whatever is in it.
bool is_model_folder(const std::string& path);

// A folder of regular files, opened for reading.
class HuggingFaceModel : public ForeignModel {
 public:
  // Reads all but the tensors. Throws FileError, or FormatError naming the file and the field,
  // tensor or token that is missing, unknown or not supported.
  // Of a folder that may be read as models of several kinds it is of `kind`, where that is one of
  // them.
  explicit HuggingFaceModel(const std::string& folder, std::string_view kind = {});

  std::string_view format() const override { return "Transformers"; }

 private:
  const ForeignTensors& tensors() const override { return weights_; }
  NameMap names() const override;

  WeightFiles weights_;
  const Architecture* architecture_;
};

// The type of floating-point numbers in a folder that is written.
enum class FloatType { kFloat32, kBFloat16, kFloat16 };

// A folder that is written completely or not at all.
class HuggingFaceExport {
 public:
  // Throws what AtomicFolder throws.
  HuggingFaceExport(const std::string& folder, std::string_view kind, const Contents& contents);

  // Writes all but the tensors, in the format of the first architecture of the kind that has all
  // the model's options. `reopened` returns the contents of the model that other contents make.
  // Throws OptionError, naming an option that the nearest architecture does not have, if there is
  // none.
  using Reopen = std::function<Contents(ContentsReader& reader)>;
  void write_files(FloatType type, const Reopen& reopened);
  void write_tensors(FloatType type, const std::vector<nn::NamedParameter>& parameters) const;
  void commit() { folder_.commit(); }

 private:
  void write_files(const Architecture& architecture, FloatType type, const Reopen& reopened);
  bool may_be(const Architecture& architecture);  // by its input and its tokeniser

  AtomicFolder folder_;
  std::string kind_;
  Json options_;  // of the model
  ImportedContents contents_;
  const Architecture* architecture_ = nullptr;  // that is written
  size_t unsupported_ = 0;  // options that the architecture which was tried last does not have
};

// Writes a model as a folder. Throws FileError; OptionError for an option that Transformers does
// not have.
template <class Session>
void write_hugging_face(const std::string& folder, const Session& given,
                        FloatType type = FloatType::kFloat32) {
  Session session = [&] {
    if constexpr (requires { given.exportable(); }) return given.exportable();
    return given;
  }();
  HuggingFaceExport out(folder, Session::kKind, session.contents());
  out.write_files(type, [](ContentsReader& in) { return Session::open(in).contents(); });
  out.write_tensors(type, nn::parameters_of(session.model));
  out.commit();
}

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_FOLDER_H_
