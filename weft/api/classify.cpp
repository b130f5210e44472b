#include "weft/classify.h"

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/predictor_options.h"
#include "weft/api/read_options.h"

namespace weft {

using api::ClassifierOptions;

struct Classifier::State {
  std::vector<model_file::ClassifierSession> sessions;
  predict::Classifier classifier;

  State(const std::vector<Model>& models, const ClassifierOptions& options)
      : sessions(api::sessions_of<model_file::ClassifierSession>(models)),
        classifier(sessions, options.lines, options.threshold.probability) {}

  std::vector<Classification> named(std::vector<predict::ChosenLabels> found) const {
    std::vector<Classification> out;
    out.reserve(found.size());
    for (predict::ChosenLabels& one : found) {
      Classification& named = out.emplace_back();
      for (const int32_t label : one.labels)
        named.labels.push_back(classifier.labels().name(label));
      named.probabilities = std::move(one.probabilities);
      named.fault = std::move(one.fault);
    }
    return out;
  }
};

Classifier::Classifier(const Model& model, const Options& options)
    : Classifier(std::vector{model}, options) {}

Classifier::Classifier(const std::vector<Model>& models, const Options& options)
    : state_(std::make_shared<const State>(models, api::read_options<ClassifierOptions>(options))) {
}

const OptionSchema& Classifier::schema() { return api::schema_of<ClassifierOptions>(); }

std::vector<Classification> Classifier::classify(std::span<const std::string> inputs,
                                                 Report* report) const {
  return classify(api::lines_of(inputs), report);
}

std::vector<Classification> Classifier::classify(std::span<const Line> lines,
                                                 Report* report) const {
  return state_->named(api::predict_all(state_->classifier, lines, report));
}

std::vector<Classification> Classifier::classify(std::span<const Picture> pictures,
                                                 Report* report) const {
  api::check_pictures(pictures);
  return state_->named(api::predict_all(state_->classifier, pictures, report));
}

std::string_view Classifier::input() const { return state_->classifier.options().input.name(); }

bool Classifier::has_numbers() const { return state_->classifier.options().has_numbers(); }

}  // namespace weft
