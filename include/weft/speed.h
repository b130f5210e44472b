// How fast a language model is.
#ifndef WEFT_SPEED_H_
#define WEFT_SPEED_H_

#include <cstdint>

#include "weft/export.h"
#include "weft/model.h"
#include "weft/options.h"

namespace weft {

struct GenerationSpeed {
  double prompts = 0;        // tokens a second of all streams, until each has its first token
  double continuations = 0;  // after that
  int64_t cache_bytes = 0;   // of keys and values
};

// Of greedy continuations of random prompts, one measurement. Options: `prompt-length`,
// `max-length`, `streams` and `cache-precision`, as of `weft bench generate`. Throws OptionError
// for a model of another kind and for more tokens than its context has.
WEFT_API GenerationSpeed measure_generation(const Model& model, const Options& options = {});
WEFT_API const OptionSchema& measure_generation_schema();

}  // namespace weft

#endif  // WEFT_SPEED_H_
