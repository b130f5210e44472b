// Which layer of a stack parameters belong to, by their names: "model.encoder.layers.3.fc1.weight".
#ifndef WEFT_TRAIN_LAYER_DEPTH_H_
#define WEFT_TRAIN_LAYER_DEPTH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/nn/parameters.h"

namespace weft::train {

// Of one parameter.
struct LayerDepth {
  std::string stack = {};  // "model.encoder"; empty: it belongs to no stack
  int64_t depth = 0;       // layers of the stack
  int64_t above = 0;       // 1 in the last layer, `depth` in the first, depth + 1 in what is below
                           // it (embeddings, their positions and norms); 0 outside of all stacks,
                           // except for shared embeddings
  bool operator==(const LayerDepth&) const = default;
};

// Returns the depth of each parameter, in visiting order. A norm after the layers of a stack counts
// as part of the last layer; embeddings that several stacks share are one below the first layer of
// the deepest stack.
std::vector<LayerDepth> layer_depths(const std::vector<nn::NamedParameter>& parameters);

// Freezes the first `layers` layers of the first stack and the parameters below its first layer
// (--freeze-layers); does nothing if `layers` is not given. Throws OptionError if the stack has
// fewer layers.
void freeze_layers(const std::vector<nn::NamedParameter>& parameters,
                   std::optional<int64_t> layers);

}  // namespace weft::train

#endif  // WEFT_TRAIN_LAYER_DEPTH_H_
