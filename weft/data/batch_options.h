// How examples become the batches of training.
#ifndef WEFT_DATA_BATCH_OPTIONS_H_
#define WEFT_DATA_BATCH_OPTIONS_H_

#include <cstdint>

#include "weft/options/fields.h"

namespace weft::data {

struct BatchOptions {
  int64_t mini_batch_words = 4096;
  int64_t mini_batch = 0;
  int64_t maxi_batch = 100;

  template <class V>
  void fields(V& v) {
    v("mini-batch-words", mini_batch_words,
      {.help = "target tokens in a batch, end symbols included, at most; 0: no bound",
       .min = 0,
       .max = 1e9});
    v("mini-batch", mini_batch,
      {.help = "sentences in a batch, at most; 0: no bound", .min = 0, .max = 1e9});
    v("maxi-batch", maxi_batch,
      {.help = "batches drawn together and sorted by length before they are cut",
       .min = 1,
       .max = 1e6});
  }
};

}  // namespace weft::data

#endif  // WEFT_DATA_BATCH_OPTIONS_H_
