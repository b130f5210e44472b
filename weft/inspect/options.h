// What is shown of each example.
#ifndef WEFT_INSPECT_OPTIONS_H_
#define WEFT_INSPECT_OPTIONS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "weft/options/fields.h"

namespace weft::inspect {

struct InspectionOptions {
  int64_t max_length = 100;
  int64_t beam_size = 5;
  int64_t alternatives = 3;
  int64_t most_explained = 100;
  int64_t max_continuation = 20;

  template <class V>
  void fields(V& v) {
    v("max-length", max_length,
      {.help =
           "longest text of a translator, tagger, classifier, embedder or masked language model, "
           "and prompt, in tokens without special symbols; a longer one is cropped, and the page "
           "says so",
       .min = 1,
       .max = 10000});
    v("beam-size", beam_size,
      {.help = "hypotheses of the beam search of a translator or transcriber",
       .min = 1,
       .max = 1024,
       .letter = 'b'});
    v("alternatives", alternatives,
      {.help =
           "alternatives shown for each token of the best translation or of a continuation, each "
           "with the text that greedy search makes of it, and for each mask; of a text classifier "
           "the number of "
           "explained labels, of a language model of explained next tokens, of an embedder of "
           "nearest lines",
       .min = 0,
       .max = 100});
    v("max-explained", most_explained,
      {.help = "maximum number of words whose labels by a tagger, or of masks whose tokens, are "
               "explained, from the beginning of a text; each takes time",
       .min = 1,
       .max = 10000});
    v("max-continuation", max_continuation,
      {.help = "longest continuation of a prompt by a language model, in tokens",
       .min = 1,
       .max = 10000});
  }
};

// Throws OptionError for an option that is not at its default, unless its name is one of `read`;
// `when` is the end of the message: "with a detector".
void check_read(const InspectionOptions& options, const std::vector<std::string_view>& read,
                const char* when);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_OPTIONS_H_
