// Inspection of models on examples: attention, predictions, and explanations of the predictions.
#ifndef WEFT_INSPECT_H_
#define WEFT_INSPECT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/array.h"
#include "weft/export.h"
#include "weft/line.h"
#include "weft/model.h"
#include "weft/options.h"

namespace weft {

// The attention of a layer.
struct AttentionMap {
  std::string stack;  // "encoder", "decoder"
  std::string role;   // "self", "cross"
  int64_t layer = 0;
  std::vector<std::string> queries, keys;  // tokens; empty of pictures and sounds
  Array weights;                           // [heads, queries, keys] probabilities
};

struct Inspection {
  std::string json;                         // as docs/inspect.md describes it
  std::string page;                         // HTML that needs no network
  std::vector<std::string> ablations = {};  // of each model, with `ablate`, as ablate_heads() says
  bool is_finite = true;                    // whether all that the models compute are numbers
};

// These functions load the model's file or folder again with weights in float32, and its adapter.
// Options: `max-length`, `beam-size`, `alternatives`, `max-explained`, `max-continuation`, as of
// `weft inspect`. They throw OptionError for kinds of models that `weft inspect` shows nothing of.
// attention() and ablate_heads() throw NumericError for a model whose numbers are not finite;
// elsewhere Inspection::is_finite is false.

// Does what inspect_inputs() does for several models in files, and shows them side by side. An
// input that cannot be read, or whose scores are not finite, gives an empty example; its note,
// which is also logged, says why. Paths start in the folder that the option `folder` names. With
// the options of ablate_heads(), `ablate` and how its files are read, the page also shows the loss
// without each head.
WEFT_API Inspection inspect_files(const std::vector<std::string>& models,
                                  std::span<const Line> inputs, const Options& options = {});
WEFT_API const OptionSchema& inspection_schema();

// An input is a text, or the path of a picture, a sound or a file of vectors.
WEFT_API Inspection inspect_inputs(const Model& model, std::span<const std::string> inputs,
                                   const Options& options = {});
// Of one input, all layers.
WEFT_API std::vector<AttentionMap> attention(const Model& model, std::string_view input,
                                             const Options& options = {});
// What is in the model's file or folder, without its adapter: kind, options, parameters,
// vocabularies, labels; as text or as JSON.
WEFT_API std::string summary(const Model& model, bool as_json = false);

// The same of the model in a file.
WEFT_API std::string summary_of_file(const std::string& path, bool as_json = false);

// Returns, as a table, the loss of a model on a text with each attention head masked in turn. The
// model in the file `path` is a translator, a classifier of text or a tagger. Options, as of
// `weft inspect`: `ablate`, the files of the text, and how they are read. Throws OptionError for
// other models, FileError, FormatError.
WEFT_API std::string ablate_heads(const std::string& path, const Options& options);
WEFT_API const OptionSchema& ablation_schema();

}  // namespace weft

#endif  // WEFT_INSPECT_H_
