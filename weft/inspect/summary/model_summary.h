// What is in the files of a model: kind, options, parameters by part, vocabularies, labels,
// training.
#ifndef WEFT_INSPECT_SUMMARY_MODEL_SUMMARY_H_
#define WEFT_INSPECT_SUMMARY_MODEL_SUMMARY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/model_file/foreign/foreign_model.h"
#include "weft/model_file/session.h"

namespace weft::inspect {

struct TensorSummary {
  std::string name;
  std::string type;            // in the file: "F32", "BF16", "I8"
  std::vector<int64_t> shape;  // [rows, cols]
  int64_t parameters = 0;
  int64_t bytes = 0;  // in the file, with the scales of int8
};

// Tensors of one module, such as a layer.
struct PartSummary {
  std::string name;  // "model.encoder.layers.0"
  int64_t tensors = 0;
  int64_t parameters = 0;
};

struct VocabularySummary {
  std::string name;  // "vocab.source"
  std::string kind;  // "sentencepiece", "word"
  int64_t entries = 0;
  std::string same_as;  // the vocabulary whose bytes it shares, or empty
};

struct LabelSummary {
  std::string name;  // "labels.0"
  std::vector<std::string> labels;
};

// Of the training state beside the model file.
struct TrainingSummary {
  std::string path;
  std::optional<std::string> fault;  // why it cannot be read; nothing else is then known
  int64_t updates = 0;
  int64_t epochs = 0;   // complete ones
  int64_t targets = 0;  // seen by the loss
  int64_t skipped = 0;  // updates with a loss or gradient that was not finite
  // The best value of the first validation metric.
  std::optional<double> best;
  std::string metric;          // its name, where there is a best value
  std::string options = "{}";  // JSON
};

// Bytes that weights need.
struct MemorySummary {
  int64_t float32 = 0, bfloat16 = 0, int8 = 0;  // in prediction
  int64_t training = 0;  // weights, gradients and Adam's moments in float32; without activations
};

struct ModelSummary {
  std::string path;
  std::string format;  // "Weft", "Transformers", "GGUF"
  std::string kind;    // "seq2seq"
  int64_t file_bytes = 0;
  int64_t format_version = 0;  // of Weft's options
  std::string checksum;        // 16 hexadecimal digits; empty for a file without one
  std::string options;         // JSON
  std::vector<TensorSummary> tensors;
  std::vector<PartSummary> parts;
  std::vector<VocabularySummary> vocabularies;
  std::vector<LabelSummary> labels;
  std::optional<TrainingSummary> training;
  MemorySummary memory;

  int64_t parameters() const;
  std::string text() const;
  std::string json() const;  // as docs/inspect.md describes it
};

ModelSummary summarise(const std::string& path, const model_file::Contents& contents,
                       const std::vector<nn::NamedParameter>& parameters);
ModelSummary summarise(const std::string& path, const model_file::ForeignModel& file,
                       const model_file::Contents& contents,
                       const std::vector<nn::NamedParameter>& parameters);

// Of the file that a session was loaded from. Reads all of it and compares its checksum. Throws
// FormatError for a damaged file.
template <class Session>
ModelSummary summarise(const std::string& path, const Session& session) {
  auto model = session.model;
  return summarise(path, session.contents(), nn::parameters_of(model));
}
// Of a folder or a file of another system that a session was opened or loaded from. Its tensors are
// not read.
template <class Session>
ModelSummary summarise(const std::string& path, const model_file::ForeignModel& file,
                       const Session& session) {
  auto model = session.model;
  return summarise(path, file, session.contents(), nn::parameters_of(model));
}

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_SUMMARY_MODEL_SUMMARY_H_
