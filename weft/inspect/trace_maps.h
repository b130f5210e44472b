// A trace of attention as the maps of an example.
#ifndef WEFT_INSPECT_TRACE_MAPS_H_
#define WEFT_INSPECT_TRACE_MAPS_H_

#include <functional>
#include <optional>
#include <vector>

#include "weft/inspect/inspection.h"
#include "weft/nn/attention/trace.h"

namespace weft::inspect {

// The axes of an attention's queries and keys, as indices into those of the example.
struct MapAxes {
  size_t queries = 0, keys = 0;
};
// Nothing for an attention that is not shown.
using AxesOf = std::function<std::optional<MapAxes>(const nn::AttentionKey& key)>;

// The attentions of example `index` of a pass, those of the encoder first.
std::vector<AttentionMaps> maps_of(const nn::AttentionTrace& trace, int64_t index,
                                   const AxesOf& axes);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_TRACE_MAPS_H_
