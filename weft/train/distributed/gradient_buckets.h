// All-reduces gradients over the ranks in buckets, each as soon as backward has completed it.
#ifndef WEFT_TRAIN_DISTRIBUTED_GRADIENT_BUCKETS_H_
#define WEFT_TRAIN_DISTRIBUTED_GRADIENT_BUCKETS_H_

#include <algorithm>
#include <vector>

#include "weft/autograd/completion.h"
#include "weft/tensor/tensor.h"
#include "weft/train/distributed/group.h"

namespace weft::train {

// Usage: pass it to the last backward pass of each update, then call finish().
class GradientBuckets final : public autograd::GradientObserver {
 public:
  // `gradient` is the flat gradient [P], F32, of autograd::Gradients; before finish() it has to be
  // settled. Buckets have `bucket` values: large enough to
  // amortise a message, small enough that most are in transit before backward ends.
  GradientBuckets(Group& group, Tensor gradient, int64_t bucket = int64_t{1} << 19);

  void completed(int64_t begin, int64_t end) override;
  // Starts the remaining buckets (a rank may have had no examples) and waits until the gradient is
  // the sum over all ranks.
  void finish();

 private:
  int64_t bucket_begin(int64_t b) const { return b * bucket_; }
  int64_t bucket_end(int64_t b) const { return std::min(gradient_.size(), (b + 1) * bucket_); }
  void start(int64_t b);
  void reset();

  Group& group_;
  Tensor gradient_;
  int64_t bucket_;
  std::vector<int64_t> pending_;  // values of each bucket that are not final yet
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_DISTRIBUTED_GRADIENT_BUCKETS_H_
