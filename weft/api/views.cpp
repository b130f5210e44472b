#include "weft/views.h"

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/api/view_pairs.h"
#include "weft/tasks/cross_view/options.h"

namespace weft {
namespace {

using api::CompleterOptions;
using api::MotionOptions;

// Pairs of files.
template <class Predictor>
auto predict_read(const Predictor& predictor, const ViewPairs& pairs, Report* report) {
  std::vector<predict::PairOfSet> read;
  for (int64_t i = 0; i < pairs.size(); ++i) {
    read.push_back({pairs.read().set.get(), pairs.first() + i});
  }
  return api::predict_all(predictor, read, report);
}

// Pairs of pictures.
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
  CompleterOptions options;
  predict::Completer completer;

  State(const Model& model, const CompleterOptions& given)
      : session(api::cross_view_session(model, true)),
        options(given),
        completer(session, options.prediction(session.model.options)) {}
};

ViewCompleter::ViewCompleter(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(model, api::read_options<CompleterOptions>(options))) {}

const OptionSchema& ViewCompleter::schema() { return api::schema_of<CompleterOptions>(); }

std::vector<CompletedView> ViewCompleter::complete(const ViewPairs& pairs, Report* report) const {
  if (pairs.size() == 0) return {};
  state_->options.check_pairs(pairs.read().set->size());
  return predict_read(state_->completer, pairs, report);
}

std::vector<CompletedView> ViewCompleter::complete(std::span<const PicturePair> pairs,
                                                   Report* report) const {
  state_->options.check_pairs(std::ssize(pairs));
  return predict_pairs(state_->completer, state_->session, pairs, report);
}

struct MotionPredictor::State {
  model_file::CrossViewSession session;
  predict::MotionPredictor predictor;

  State(const Model& model, const MotionOptions& options)
      : session(api::cross_view_session(model, false)), predictor(session, options.prediction()) {}
};

MotionPredictor::MotionPredictor(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(model, api::read_options<MotionOptions>(options))) {}

const OptionSchema& MotionPredictor::schema() { return api::schema_of<MotionOptions>(); }

namespace {

std::vector<ViewMotion> motions_of(std::vector<predict::PredictedNumbers> found) {
  std::vector<ViewMotion> out;
  out.reserve(found.size());
  for (predict::PredictedNumbers& pair : found) {
    out.push_back({.numbers = std::move(pair.predicted), .fault = std::move(pair.fault)});
  }
  return out;
}

}  // namespace

std::vector<ViewMotion> MotionPredictor::predict(std::span<const PicturePair> pairs,
                                                 Report* report) const {
  return motions_of(predict_pairs(state_->predictor, state_->session, pairs, report));
}

std::vector<ViewMotion> MotionPredictor::predict(const ViewPairs& pairs, Report* report) const {
  return motions_of(predict_read(state_->predictor, pairs, report));
}

}  // namespace weft
