// Which layers of a model attend to a sliding window.
#ifndef WEFT_MODEL_FILE_FOREIGN_WINDOW_LAYERS_H_
#define WEFT_MODEL_FILE_FOREIGN_WINDOW_LAYERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "weft/model_file/foreign/imported_contents.h"

namespace weft::model_file {

// Of a file that is read, so that a damaged one does not take memory without limit.
inline constexpr int64_t kMaxLayers = 1000;

struct WindowLayers {
  std::vector<bool> is_full;  // each layer: whether it attends to all tokens
  int64_t window = 0;         // the last tokens that the others attend to, itself included

  bool any() const;  // whether a layer has a window
};

// Sets the options of attention. Throws FormatError, prefixed with `where`, for full layers that
// are neither the lowest nor at equal distances.
void set_window_layers(const WindowLayers& layers, const std::string& where, ImportedContents& out);

// Of a model with these options; the option `depth` is its number of layers.
WindowLayers window_layers_of(const Json& options, const char* depth = "dec-depth");

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_FOREIGN_WINDOW_LAYERS_H_
