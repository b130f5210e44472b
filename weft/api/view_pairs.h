// Pairs of views that are read, and the options of what models of two views predict of them.
#ifndef WEFT_API_VIEW_PAIRS_H_
#define WEFT_API_VIEW_PAIRS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/data/views/view_pairs.h"
#include "weft/model_file/cross_view.h"
#include "weft/predict/cross_view/view_predictors.h"
#include "weft/views.h"

namespace weft {

struct ViewPairs::Read {
  std::unique_ptr<data::ViewPairs> set;
};

namespace api {

// The session of a model of this objective. Throws OptionError for any other.
const model_file::CrossViewSession& cross_view_session(const Model& model, bool is_completion);

struct ViewPairOptions {
  data::ViewSources views;

  template <class V>
  void fields(V& v) {
    options::choice(v, "views", views, {.help = "where pairs of views come from"});
  }
  void validate() const { options::check_scopes(*this); }
  // Throws OptionError for a folder or a picture in place of a list of pairs.
  void check_files(const std::vector<std::string>& files) const;
  data::ViewPairsOptions params(const model_file::CrossViewSession& session) const;
  // All pairs of the files at once.
  std::unique_ptr<data::ViewPairs> read(const model_file::CrossViewSession& session,
                                        const std::vector<std::string>& files,
                                        data::BadFiles bad_files) const;
};

struct MotionOptions {
  int64_t seed = 1;
  int64_t mini_batch = 64;

  template <class V>
  void fields(V& v) {
    v("seed", seed, {.help = "random seed of masks and crops", .min = 0});
    v("mini-batch", mini_batch, {.help = "pairs computed together", .min = 1, .max = 65536});
  }
  predict::ViewPredictorOptions prediction() const {
    return {.seed = static_cast<uint64_t>(seed), .mini_batch = mini_batch};
  }
};

struct CompleterOptions : MotionOptions {
  std::optional<double> mask_ratio = {};
  bool without_second = false;
  bool pictures = true;

  template <class V>
  void fields(V& v) {
    v("mask-ratio", mask_ratio,
      {.help = "share of the first view's patches that are masked; auto: that of training",
       .min = 0,
       .max = 1});
    v("without-second", without_second,
      {.help = "give each pair the second view of another pair, to measure what its own is worth"});
    v("pictures", pictures, {.help = "make pictures of the completed views"});
    MotionOptions::fields(v);
  }
  // Throws OptionError for a second view that the model does not have.
  predict::ViewPredictorOptions prediction(const models::CrossViewOptions& model) const;
  // Throws OptionError where one of the pairs would get its own second view.
  void check_pairs(int64_t pairs) const;
};

}  // namespace api
}  // namespace weft

#endif  // WEFT_API_VIEW_PAIRS_H_
