// Which examples make which batch: a pure function of data set, options, seed and epoch.
#ifndef WEFT_DATA_BATCHER_H_
#define WEFT_DATA_BATCHER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/data/batch_options.h"
#include "weft/data/dataset.h"

namespace weft::data {

// The batches of one pass over the data, as numbers of examples.
class BatchPlan {
 public:
  int64_t size() const { return std::ssize(ends_); }
  std::span<const int64_t> operator[](int64_t batch) const {
    const int64_t begin = batch == 0 ? 0 : ends_[batch - 1];
    return std::span(examples_).subspan(begin, ends_[batch] - begin);
  }
  void reserve(int64_t examples);  // that will be added
  void add(std::span<const int64_t> batch);

 private:
  std::vector<int64_t> examples_;
  std::vector<int64_t> ends_;
};

// Bounds of a batch: Cost::rows in sum, and examples; 0 is no bound. An example over the bound is a
// batch alone.
struct BatchLimits {
  int64_t rows = 0;
  int64_t examples = 0;
};

// The batches of one epoch of training. Each part is drawn as often as its weight says (for the
// fraction of a weight, another portion in each epoch). The examples are shuffled, sorted by cost
// within pools of maxi-batch batches and cut into batches, which are shuffled. Throws OptionError
// unless mini-batch-words or mini-batch bounds a batch.
BatchPlan training_plan(const Dataset& data, const BatchOptions& options, uint64_t seed,
                        int64_t epoch);

// Every example once, by cost, in a fixed order.
BatchPlan evaluation_plan(const Dataset& data, const BatchLimits& limits);

// Where in the data training stands.
struct DataPosition {
  int64_t epoch = 0;
  int64_t batch = 0;  // in the epoch
  bool operator==(const DataPosition&) const = default;
};

// Batches epoch after epoch, from any position on. For one thread at a time.
class BatchSource {
 public:
  struct Item {
    Batch batch;
    DataPosition next;        // where the batch after this one stands
    bool ends_epoch = false;  // then next.batch is 0
  };

  // Throws as training_plan does, and OptionError when the position is not in the data.
  BatchSource(std::shared_ptr<const Dataset> data, const BatchOptions& options, uint64_t seed,
              DataPosition from = {});

  Item next();
  int64_t batches_in_epoch() const { return plan_.size(); }

 private:
  void plan_epoch();

  std::shared_ptr<const Dataset> data_;
  BatchOptions options_;
  uint64_t seed_;
  DataPosition at_;
  BatchPlan plan_;
  int64_t planned_epoch_ = -1;
};

}  // namespace weft::data

#endif  // WEFT_DATA_BATCHER_H_
