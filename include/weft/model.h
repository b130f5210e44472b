// Models of every kind, loaded for inference.
#ifndef WEFT_MODEL_H_
#define WEFT_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/export.h"
#include "weft/options.h"

namespace weft {

namespace api {
struct LoadedModel;
}

// A handle: copies share the weights. Immutable, so that any number of threads may use it.
class WEFT_API Model {
 public:
  explicit Model(std::shared_ptr<const api::LoadedModel> loaded) : loaded_(std::move(loaded)) {}

  const std::string& path() const;
  // "seq2seq" (a translator), "classifier", "tagger", "transcriber", "detector", "cross-view",
  // "language-model", "embedder", "masked-lm"
  std::string_view kind() const;
  // The options of the model in its file, as a JSON object.
  std::string options() const;
  // The labels of a classifier or detector, in the order of its probabilities, or those of one
  // column of a tagger. Empty for other kinds of models.
  std::vector<std::string> labels(size_t column = 0) const;

  const api::LoadedModel& loaded() const { return *loaded_; }  // for the library itself

 private:
  std::shared_ptr<const api::LoadedModel> loaded_;
};

// Loads a model file of Weft, a folder of Hugging Face Transformers or a GGUF file. Options:
// `precision`, the type of weights in memory (auto: as in the file; float32, bfloat16, int8, int4);
// `lora`, an adapter of a language model; `kind`, the kind that the model is required to have.
// Throws FileError, OptionError, and FormatError, which says what is wrong with the file, or that
// the model is of another kind than `kind`.
WEFT_API Model load(const std::string& path, const Options& options = {});
WEFT_API const OptionSchema& load_schema();
// The kind of the model in a file or folder, as Model::kind() names it, without loading it; ""
// where the file does not say. Throws FileError, FormatError.
WEFT_API std::string kind_of_model(const std::string& path);

}  // namespace weft

#endif  // WEFT_MODEL_H_
