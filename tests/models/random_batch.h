// Batches of random sequences for tests of whole models.
#ifndef WEFT_TESTS_MODELS_RANDOM_BATCH_H_
#define WEFT_TESTS_MODELS_RANDOM_BATCH_H_

#include "weft/core/random.h"
#include "weft/data/batch.h"

namespace weft::models {

// Tokens `first` to vocabulary - 1, fewer than `longest`, and the end symbol 0; some sequences may
// be empty.
struct RandomWords {
  uint64_t vocabulary, longest;
  int32_t first = 0;
};

inline data::Tokens random_sentences(int64_t count, uint64_t stream, const RandomWords& words) {
  RandomStream random(5, stream);
  const uint64_t kinds = words.vocabulary - static_cast<uint64_t>(words.first);
  data::Tokens out;
  for (int64_t b = 0; b < count; ++b) {
    std::vector<int32_t> ids(random.below(words.longest));
    for (int32_t& id : ids) id = words.first + static_cast<int32_t>(random.below(kinds));
    out.add(ids, 0);
  }
  return out;
}

// Pairs of sequences over vocabularies of 9 and 8.
inline data::Batch random_batch(int64_t count, uint64_t longest, int32_t first = 0) {
  data::Batch batch;
  batch.fields = {random_sentences(count, 1, {9, longest, first}),
                  random_sentences(count, 2, {8, longest, first})};
  batch.examples.resize(static_cast<size_t>(count));
  return batch;
}

}  // namespace weft::models

#endif  // WEFT_TESTS_MODELS_RANDOM_BATCH_H_
