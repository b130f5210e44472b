// How many inputs are predicted together, which changes no result.
#ifndef WEFT_PREDICT_BATCH_OPTIONS_H_
#define WEFT_PREDICT_BATCH_OPTIONS_H_

#include <cstdint>

#include "weft/options/fields.h"

namespace weft::predict {

struct BatchOptions {
  int64_t mini_batch = 64;
  int64_t maxi_batch = 100;

  template <class V>
  void fields(V& v) {
    v("mini-batch", mini_batch,
      {.help = "texts processed at a time; changes speed and memory, never a result",
       .min = 1,
       .max = 1e5});
    v("maxi-batch", maxi_batch,
      {.help = "batches read together and sorted by length", .min = 1, .max = 1e6});
  }
  int64_t lines_together() const { return mini_batch * maxi_batch; }
};

// The same of texts, and how much of a text is read.
struct TextBatchOptions : BatchOptions {
  int64_t max_length = 1000;

  template <class V>
  void fields(V& v) {
    v("max-length", max_length,
      {.help = "longest text, in tokens without special symbols, or that of training where it is "
               "less; the end of a longer one is not read, which is reported",
       .min = 1,
       .max = 1e6});
    BatchOptions::fields(v);
  }
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_BATCH_OPTIONS_H_
