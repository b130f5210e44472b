// A model of another system, opened for reading.
#ifndef WEFT_MODEL_FILE_FOREIGN_FOREIGN_MODEL_H_
#define WEFT_MODEL_FILE_FOREIGN_FOREIGN_MODEL_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/core/process_memory.h"
#include "weft/model_file/contents.h"
#include "weft/model_file/foreign/imported_contents.h"
#include "weft/model_file/foreign/name_map.h"
#include "weft/model_file/foreign/tensors_in_files.h"
#include "weft/model_file/model_file.h"
#include "weft/nn/parameters.h"

namespace weft::model_file {

class ForeignModel {
 public:
  ForeignModel(const ForeignModel&) = delete;
  ForeignModel& operator=(const ForeignModel&) = delete;
  virtual ~ForeignModel() = default;

  const std::string& kind() const { return contents_.kind(); }  // of Weft's model
  virtual std::string_view format() const = 0;                  // "GGUF"
  // The model, a session of that kind, without weights: its file has the tensors that it needs, of
  // the right shapes. Throws what load() throws.
  template <class Session>
  Session open() {
    Session session = Session::open(contents_);
    check_tensors(names(), tensors(), nn::parameters_of(session.model));
    return session;
  }
  // The model, a session of that kind, with weights in F32. Throws FormatError for options that the
  // model does not support, and naming the tensor that is missing, of another shape or not part of
  // the model.
  template <class Session>
  Session load() {
    Session session = Session::open(contents_);
    session.parameters = read_parameters(names(), tensors(), nn::parameters_of(session.model));
    return session;
  }
  // The same for inference, with matrices packed in the given precision, one after the other.
  template <class Session>
  Session load_packed(Precision precision) {
    Session session = Session::open(contents_);
    return_freed_memory();
    pack_parameters(names(), tensors(), nn::parameters_of(session.model),
                    rounding_of<Session>(precision));
    return session;
  }
  // How its files hold the parameters of the model that was opened or loaded.
  std::vector<TensorInFile> tensors_in_files(
      const std::vector<nn::NamedParameter>& parameters) const {
    return model_file::tensors_in_files(names(), tensors(), parameters);
  }
  int64_t file_bytes() const { return bytes_of_files(tensors()); }
  // Writes the model as a model file, with matrices in their blocks.
  template <class Session>
  void save_stored(const std::string& path) {
    Session session = Session::open(contents_);
    write(path, session.contents(),
          stored_parameters(names(), tensors(), nn::parameters_of(session.model)));
  }

 protected:
  explicit ForeignModel(ImportedContents contents) : contents_(std::move(contents)) {}

  ImportedContents contents_;

 private:
  virtual const ForeignTensors& tensors() const = 0;
  // The map of its tensors to the parameters of the model that was opened.
  virtual NameMap names() const = 0;
};

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_FOREIGN_FOREIGN_MODEL_H_
