#include "weft/decode/length_penalty.h"

#include "weft/core/error.h"

namespace weft::decode {

LengthPenalty make_length_penalty(const DecodeOptions& options) {
  if (options.normalize != 0 && options.length_penalty != 0) {
    fail<OptionError>("--length-penalty",
                      "contradicts --normalize; expected one of them, got {} and {}",
                      options.length_penalty, options.normalize);
  }
  if (options.normalize != 0) return {PowerPenalty{options.normalize}};
  if (options.length_penalty != 0) return {WuPenalty{options.length_penalty}};
  return {NoPenalty{}};
}

}  // namespace weft::decode
