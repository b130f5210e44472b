// What is shown of each example.
#ifndef WEFT_INSPECT_OPTIONS_H_
#define WEFT_INSPECT_OPTIONS_H_

#include <cstdint>

#include "weft/core/fields.h"

namespace weft::inspect {

struct InspectionOptions {
  int64_t max_length = 100;
  int64_t beam_size = 5;
  int64_t alternatives = 3;

  template <class V>
  void fields(V& v) {
    v("max-length", max_length,
      {.help = "longest text, in tokens without the end symbol; a longer one is cropped, and the "
               "page says so",
       .min = 1,
       .max = 10000});
    v("beam-size", beam_size,
      {.help = "hypotheses of the beam search", .min = 1, .max = 1024, .letter = 'b'});
    v("alternatives", alternatives,
      {.help = "other tokens shown for each token of the best translation, each with the text that "
               "greedy search makes of it",
       .min = 0,
       .max = 100});
  }
};

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_OPTIONS_H_
