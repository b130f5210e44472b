#include "weft/decode/search/length_penalty.h"

#include "weft/core/error.h"
#include "weft/decode/options.h"
#include "weft/model_file/translator.h"

namespace weft::decode {

LengthPenalty make_length_penalty(const DecodeOptions& options) {
  const double wu = options.length_penalty;
  if (options.normalize.value_or(0) != 0 && wu != 0) {
    fail<OptionError>("--length-penalty",
                      "contradicts --normalize; expected one of them, got {} and {}", wu,
                      *options.normalize);
  }
  if (wu != 0) return {WuPenalty{wu}};
  const double power = options.normalize.value_or(model_file::kDefaultNormalize);
  if (power != 0) return {PowerPenalty{power}};
  return {NoPenalty{}};
}

}  // namespace weft::decode
