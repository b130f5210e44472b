// Models of two views as files, with the statistics of their pixels and of the numbers of pairs.
#ifndef WEFT_MODEL_FILE_CROSS_VIEW_H_
#define WEFT_MODEL_FILE_CROSS_VIEW_H_

#include <string_view>

#include "weft/data/features/channel_statistics.h"
#include "weft/model_file/session.h"
#include "weft/models/cross_view.h"

namespace weft::model_file {

struct CrossViewSession {
  static constexpr std::string_view kKind = "cross-view";

  models::CrossViewModel model;
  Tensor parameters;                     // [P], flat, in visiting order; empty where packed
  data::ChannelStatistics pixels = {};   // as numbers from 0 to 1
  data::ChannelStatistics numbers = {};  // of pairs, that --objective motion predicts

  static CrossViewSession open(ContentsReader& file);
  Contents contents() const;
};

// What the training data fixes of a model.
struct CrossViewAssets {
  models::CrossViewDims dims;
  data::ChannelStatistics pixels, numbers;
};
// Throws OptionError if the options contradict each other, or the sizes.
CrossViewSession new_cross_view(const models::CrossViewOptions& options, CrossViewAssets assets,
                                uint64_t seed);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_CROSS_VIEW_H_
