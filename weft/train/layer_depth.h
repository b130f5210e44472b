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
  int64_t above = 0;       // 1 in the last layer, `depth` in the first, one more below that: in
                           // embeddings, their positions and norms; 0 outside of all stacks
  bool operator==(const LayerDepth&) const = default;
};

// Of each parameter, in visiting order. A norm after the layers of a stack belongs to the last one;
// embeddings that several stacks share are below the deepest.
std::vector<LayerDepth> layer_depths(const std::vector<nn::NamedParameter>& parameters);

// Freezes what is below the first layer of the first stack, and its first `layers` layers, if given
// (--freeze-layers). Throws OptionError if there are fewer.
void freeze_layers(const std::vector<nn::NamedParameter>& parameters,
                   std::optional<int64_t> layers);

}  // namespace weft::train

#endif  // WEFT_TRAIN_LAYER_DEPTH_H_
