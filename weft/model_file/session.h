// Loads, saves and initialises sessions. A session is a model that is ready to run, with all else
// that is in its file. Each kind of session is a struct with the members
//
//   model        a network whose fields() lists its parameters
//   parameters   Tensor [P], flat, in visiting order; empty where matrices are packed
//   kKind        the kind of its files, such as "tagger"
//   kUsesBlocks  if true, integers of its matrices are in blocks; may be missing
//   static Self open(ContentsReader& file);   everything but the parameters; throws FormatError
//   Contents contents() const;           the options and assets of its file
//
// Copies of a session share weights and assets. Prediction only reads a session, so several threads
// may use it at the same time; training modifies the weights of all copies. The functions of this
// file are thread-safe if no two threads write the same file or session.
#ifndef WEFT_MODEL_FILE_SESSION_H_
#define WEFT_MODEL_FILE_SESSION_H_

#include <cstdint>
#include <string>
#include <type_traits>

#include "weft/core/error.h"
#include "weft/model_file/model_file.h"

namespace weft::model_file {

// Maps the file. F32 weights are used in place, others are converted to F32. Throws FileError, or
// FormatError naming the file and what is missing, unexpected or of the wrong shape.
template <class Session>
Session load(const std::string& path) {
  ModelFile file(path);
  Session session = Session::open(file);
  session.parameters = file.bind(nn::parameters_of(session.model));
  return session;
}

// Loads a model for inference: matrices are packed in the given precision, and the mapped memory is
// released. Throws what load() throws.
template <class Session>
Session load_packed(const std::string& path, Precision precision) {
  ModelFile file(path);
  Session session = Session::open(file);
  file.pack(nn::parameters_of(session.model), rounding_of<Session>(precision));
  return session;
}

// Writes a model file atomically, with `weights` [P] in visiting order. Throws FileError.
template <class Session>
void save(const std::string& path, const Session& session, const Tensor& weights) {
  auto model = session.model;
  write(path, session.contents(), tensors_of(nn::parameters_of(model), weights));
}

// Writes a smaller file with matrices rounded to `precision`, which must not be kStored.
template <class Session>
void save_rounded(const std::string& path, const Session& session, Precision precision) {
  auto model = session.model;
  write(path, session.contents(),
        rounded_tensors_of(nn::parameters_of(model), rounding_of<Session>(precision)));
}

// Gives the model of a session its parameters, with initial values drawn by the seed.
template <class Session>
void initialise(Session& session, uint64_t seed) {
  const auto parameters = nn::parameters_of(session.model);
  session.parameters = nn::bind(parameters);
  nn::initialise(parameters, seed);
}

// Returns make(), for open(): turns OptionError, by which a network refuses its options, into
// FormatError.
template <class Make>
std::invoke_result_t<Make> make_model(const ContentsReader& file, Make make) {
  try {
    return make();
  } catch (const OptionError& error) {
    fail<FormatError>(file.path(), "contradicting options: {}", error.what());
  }
}

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_SESSION_H_
