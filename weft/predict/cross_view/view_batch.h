// From pairs of pictures to what a model of two views reads.
#ifndef WEFT_PREDICT_CROSS_VIEW_VIEW_BATCH_H_
#define WEFT_PREDICT_CROSS_VIEW_VIEW_BATCH_H_

#include <span>

#include "weft/core/random.h"
#include "weft/data/views/view_pairs.h"
#include "weft/model_file/cross_view.h"

namespace weft::predict {

// An example, and what its random numbers are counted by: its index in the global update, or its
// number.
struct DrawnExample {
  int64_t number = 0;
  uint64_t index = 0;
};

// What a pair's second view is.
enum class SecondView {
  kOwn,
  kOther,  // that of the pair half the data set away, to measure what the own one is worth
};

struct ViewParams {
  const model_file::CrossViewSession& session;
  const data::ViewPairs& pairs;
  double mask_ratio = 0;  // of a completion
  SecondView second = SecondView::kOwn;
};

// A pair as it is drawn, and the patches of its first view that are masked.
struct DrawnPair {
  data::ViewPair views;
  std::vector<int32_t> mask = {};
};
DrawnPair draw_pair(const ViewParams& params, const DrawnExample& example, PhiloxKey key);

// What a model reads of these pairs. `first` is the index of the first one in the global update.
models::ViewBatch batch_of(const model_file::CrossViewSession& session,
                           std::span<const DrawnPair> pairs, int32_t first);

// Both at once. Crops and masks are functions of the key and of each example's index.
models::ViewBatch view_batch(const ViewParams& params, std::span<const DrawnExample> examples,
                             int32_t first, PhiloxKey key);

// The patches of a view that are masked, ascending: round(ratio * patches), at least one and not
// all of them. Every set of that size is equally likely.
std::vector<int32_t> draw_mask(int64_t patches, double ratio, RandomStream& random);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_CROSS_VIEW_VIEW_BATCH_H_
