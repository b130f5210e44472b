// How long targets are, as far as the training text shows it.
#ifndef WEFT_MODELS_SEQ2SEQ_TARGET_LENGTHS_H_
#define WEFT_MODELS_SEQ2SEQ_TARGET_LENGTHS_H_

#include <cstdint>

namespace weft::models {

// Of the pairs of the training text, end symbols included; 0: not known.
struct TargetLengths {
  double ratio = 0;     // the largest of target to source tokens
  int64_t longest = 0;  // target

  template <class V>
  void fields(V& v) {
    v("target-length-ratio", ratio, {.help = "largest of target to source tokens", .min = 0});
    v("longest-target", longest, {.help = "tokens of the longest target", .min = 0});
  }
};

}  // namespace weft::models

#endif  // WEFT_MODELS_SEQ2SEQ_TARGET_LENGTHS_H_
