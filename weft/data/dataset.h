// What training and evaluation read: examples of any kind, as batches.
#ifndef WEFT_DATA_DATASET_H_
#define WEFT_DATA_DATASET_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/data/batch.h"

namespace weft::data {

// What an example adds to a batch: all that batching knows of it.
struct Cost {
  int64_t rows = 0;        // of the field that bounds a batch: target tokens with their end symbol
  int64_t other_rows = 0;  // of the other fields

  int64_t total() const { return rows + other_rows; }
};

// Examples [begin, end) of a data set, which an epoch of training goes over `weight` times.
struct Part {
  int64_t begin = 0, end = 0;
  double weight = 1;
};

// Immutable: any number of threads may read the same data set at the same time.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual int64_t size() const = 0;  // examples
  virtual Cost cost(int64_t example) const = 0;
  virtual Batch batch(std::span<const int64_t> examples) const = 0;
  // The same number for the same examples in the same order, and almost never for others.
  virtual uint64_t fingerprint() const = 0;
  // All examples, in order.
  virtual std::vector<Part> parts() const { return {{0, size(), 1}}; }
};

}  // namespace weft::data

#endif  // WEFT_DATA_DATASET_H_
