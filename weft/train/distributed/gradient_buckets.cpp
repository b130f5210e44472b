#include "weft/train/distributed/gradient_buckets.h"

#include <algorithm>

#include "weft/core/profile.h"

namespace weft::train {

GradientBuckets::GradientBuckets(Group& group, Tensor gradient, int64_t bucket)
    : group_(group), gradient_(std::move(gradient)), bucket_(bucket) {
  reset();
}

void GradientBuckets::reset() {
  pending_.resize(static_cast<size_t>((gradient_.size() + bucket_ - 1) / bucket_));
  for (int64_t b = 0; b < std::ssize(pending_); ++b) {
    pending_[b] = bucket_end(b) - bucket_begin(b);
  }
}

void GradientBuckets::start(int64_t b) {
  const auto size = static_cast<size_t>(bucket_end(b) - bucket_begin(b));
  group_.start_sum(static_cast<int>(b), {gradient_.data<float>() + bucket_begin(b), size});
}

void GradientBuckets::completed(int64_t begin, int64_t end) {
  while (begin < end) {
    const int64_t b = begin / bucket_;
    const int64_t part_end = std::min(end, bucket_end(b));
    pending_[b] -= part_end - begin;
    if (pending_[b] == 0) start(b);
    begin = part_end;
  }
  group_.progress();
}

void GradientBuckets::finish() {
  const profile::Span span("waiting for the other ranks");
  for (int64_t b = 0; b < std::ssize(pending_); ++b) {
    if (pending_[b] > 0) start(b);
  }
  group_.wait_sums();
  reset();
}

}  // namespace weft::train
