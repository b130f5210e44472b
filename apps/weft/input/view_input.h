// The pairs of views that complete and motion read.
#ifndef APPS_WEFT_INPUT_VIEW_INPUT_H_
#define APPS_WEFT_INPUT_VIEW_INPUT_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/weft/precision.h"
#include "weft/predict/cross_view/prediction.h"
#include "weft/tasks/cross_view/options.h"

namespace weft::app {

struct ViewInput {
  std::string model;
  PrecisionOptions precision;
  std::vector<std::string> input;
  data::ViewSources views;
  int64_t seed = 1;
  int64_t mini_batch = 64;

  template <class V>
  void fields(V& v) {
    options::group(v, "Views");
    v("model", model, {.help = "model file", .letter = 'm', .required = true, .reads = true});
    precision.fields(v);
    v("input", input,
      {.help = "pairs of views, or pictures that they are cut from, as --views says: lists, and of "
               "pictures also single ones and folders",
       .letter = 'i',
       .required = true,
       .reads = true});
    options::choice(v, "views", views, {.help = "where pairs of views come from"});
    v("seed", seed, {.help = "random seed of masks and crops", .min = 0});
    v("mini-batch", mini_batch, {.help = "pairs computed together", .min = 1, .max = 65536});
  }

  model_file::CrossViewSession load() const;
  // The pairs, at the size of the model's.
  std::unique_ptr<data::ViewPairs> read(const model_file::CrossViewSession& session,
                                        data::BadFiles bad_files = data::BadFiles::kRefuse) const;
  // Calls take(pairs, first) for all pairs together, or, of standard input and pipes, for those
  // that have come; `first` is the number of the first one, from 0.
  using Take = std::function<void(const data::ViewPairs& pairs, int64_t first)>;
  void for_each_window(const model_file::CrossViewSession& session, const Take& take) const;
  predict::PredictionOptions prediction() const {
    return {.seed = static_cast<uint64_t>(seed), .mini_batch = mini_batch};
  }

 private:
  // Throws OptionError for a folder or a picture in place of a list of pairs.
  void check_input() const;
  data::ViewPairsOptions pair_options(const model_file::CrossViewSession& session) const;
};

}  // namespace weft::app

#endif  // APPS_WEFT_INPUT_VIEW_INPUT_H_
