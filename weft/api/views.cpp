#include "weft/views.h"

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/predict/cross_view/view_predictors.h"
#include "weft/tasks/cross_view/options.h"

namespace weft {
namespace {

struct MotionOptions {
  int64_t mini_batch = 64;

  template <class V>
  void fields(V& v) {
    v("mini-batch", mini_batch, {.help = "pairs computed together", .min = 1, .max = 65536});
  }
};

struct CompleterOptions {
  std::optional<double> mask_ratio = {};
  int64_t seed = 1;
  int64_t mini_batch = 64;

  template <class V>
  void fields(V& v) {
    v("mask-ratio", mask_ratio,
      {.help = "share of the first view's patches that are masked; auto: that of training",
       .min = 0,
       .max = 1});
    v("seed", seed, {.help = "random seed of masks", .min = 0});
    v("mini-batch", mini_batch, {.help = "pairs computed together", .min = 1, .max = 65536});
  }

  predict::ViewPredictorOptions prediction(const models::CrossViewOptions& model) const {
    return {.mask_ratio =
                mask_ratio.value_or(model.objective.get<models::CompletionObjective>().mask_ratio),
            .seed = static_cast<uint64_t>(seed),
            .mini_batch = mini_batch};
  }
};

// The session of a model of this objective. Throws OptionError for any other.
const model_file::CrossViewSession& session_of(const Model& model, bool is_completion) {
  const auto& session = api::session_of<model_file::CrossViewSession>(model);
  if (session.model.options.is_completion() != is_completion) {
    fail<OptionError>(model.path(), "a model of --objective {}; expected --objective {}",
                      is_completion ? "motion" : "completion",
                      is_completion ? "completion" : "motion");
  }
  return session;
}

template <class Predictor>
auto predict_pairs(const Predictor& predictor, const model_file::CrossViewSession& session,
                   std::span<const PicturePair> pairs, Report* report) {
  using Results = std::vector<typename Predictor::Result>;
  if (pairs.empty()) return Results();
  const auto set = data::pairs_of_pictures(
      pairs, tasks::view_options({}, session.model.options, session.model.dims.image));
  return Results(api::predict_all(predictor, predict::pairs_of(*set), report));
}

}  // namespace

struct ViewCompleter::State {
  model_file::CrossViewSession session;
  predict::Completer completer;

  State(const Model& model, const CompleterOptions& options)
      : session(session_of(model, true)),
        completer(session, options.prediction(session.model.options)) {}
};

ViewCompleter::ViewCompleter(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(model, api::read_options<CompleterOptions>(options))) {}

std::vector<CompletedView> ViewCompleter::complete(std::span<const PicturePair> pairs,
                                                   Report* report) const {
  return predict_pairs(state_->completer, state_->session, pairs, report);
}

struct MotionPredictor::State {
  model_file::CrossViewSession session;
  predict::MotionPredictor predictor;

  State(const Model& model, const MotionOptions& options)
      : session(session_of(model, false)), predictor(session, {.mini_batch = options.mini_batch}) {}
};

MotionPredictor::MotionPredictor(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(model, api::read_options<MotionOptions>(options))) {}

std::vector<ViewMotion> MotionPredictor::predict(std::span<const PicturePair> pairs,
                                                 Report* report) const {
  std::vector<ViewMotion> out;
  for (predict::PredictedNumbers& pair :
       predict_pairs(state_->predictor, state_->session, pairs, report)) {
    out.push_back({.numbers = std::move(pair.predicted), .fault = std::move(pair.fault)});
  }
  return out;
}

}  // namespace weft
