// The pairs of views that complete and motion read.
#ifndef APPS_WEFT_INPUT_VIEW_INPUT_H_
#define APPS_WEFT_INPUT_VIEW_INPUT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/weft/input/lines.h"
#include "apps/weft/model_options.h"
#include "weft/predict/cross_view/view_predictors.h"
#include "weft/tasks/cross_view/options.h"

namespace weft::app {

struct ViewInput {
  ModelOptions model;
  std::vector<std::string> input;
  data::ViewSources views;
  int64_t seed = 1;
  int64_t mini_batch = 64;

  template <class V>
  void fields(V& v) {
    options::group(v, "Views");
    model.fields(v);
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

  // The pairs, at the size of the model's.
  std::unique_ptr<data::ViewPairs> read(const model_file::CrossViewSession& session,
                                        data::BadFiles bad_files = data::BadFiles::kRefuse) const;
  predict::ViewPredictorOptions prediction() const {
    return {.seed = static_cast<uint64_t>(seed), .mini_batch = mini_batch};
  }

 private:
  friend class PairSource;

  // Throws OptionError for a folder or a picture in place of a list of pairs.
  void check_input() const;
  data::ViewPairsOptions pair_options(const model_file::CrossViewSession& session) const;
};

// The pairs of an input one after the other: those of files are read together, those of standard
// input and pipes as they come.
class PairSource {
 public:
  // The session has to outlive it.
  PairSource(const ViewInput& input, const model_file::CrossViewSession& session);
  explicit PairSource(std::unique_ptr<data::ViewPairs> pairs) : pairs_(std::move(pairs)) {}

  // The next pairs, `most` at most, valid until the next call. False at the end.
  bool next(int64_t most, std::vector<predict::PairOfSet>& window);

 private:
  bool read_lines(int64_t most);

  std::string path_;
  std::optional<LineSource> source_;
  std::optional<data::ViewPairLines> lines_;
  int64_t line_ = 1;                        // the number of the next line
  std::unique_ptr<data::ViewPairs> pairs_;  // those read last
  int64_t taken_ = 0;                       // of them
};

}  // namespace weft::app

#endif  // APPS_WEFT_INPUT_VIEW_INPUT_H_
