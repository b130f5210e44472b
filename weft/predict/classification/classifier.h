// Labels of lines, each a text or the path of a picture or of vectors, and of pictures.
#ifndef WEFT_PREDICT_CLASSIFICATION_CLASSIFIER_H_
#define WEFT_PREDICT_CLASSIFICATION_CLASSIFIER_H_

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "weft/predict/batch_options.h"
#include "weft/predict/classification/line_reader.h"
#include "weft/predict/predictor.h"

namespace weft::data {
class LabelSet;
}
namespace weft::models {
struct ClassifierOptions;
}

namespace weft::predict {

// Of models of --labels several.
struct LabelThreshold {
  std::optional<double> probability = {};

  template <class V>
  void fields(V& v) {
    v("threshold", probability,
      {.help = "with a model of --labels several, the lowest probability of a predicted label; "
               "auto: the threshold in the model file, or the mean of those of several models",
       .min = 0,
       .max = 1});
  }
};

// Of one input.
struct ChosenLabels {
  std::vector<int32_t> labels = {};       // those given, the most probable first
  std::vector<float> probabilities = {};  // [C] of all; of --labels numbers, the numbers
  std::optional<Fault> fault = {};        // why there are none
};

// One model, or several with the same labels and the same kind of input, whose probabilities are
// averaged.
class Classifier {
 public:
  using Request = std::vector<ReadExample>;  // as each model reads it
  using Answer = std::vector<float>;         // [C] probabilities, or numbers
  using Result = ChosenLabels;

  // The sessions have to outlive it. Throws OptionError where their labels, or their --labels, are
  // not the same, for several of --labels sequence, and for a threshold where there is none.
  Classifier(std::span<const model_file::ClassifierSession> sessions,
             const TextBatchOptions& options, std::optional<double> threshold = {});

  // A file that cannot be read is a fault, and its reason logged.
  Prepared<Request> prepare(std::span<const Line> lines, Report& report) const;
  // For models of --input image.
  Prepared<Request> prepare(std::span<const data::Image> pictures, Report& report) const;
  std::vector<Answer> run(std::span<Request> requests) const;
  std::vector<Result> finish(const Prepared<Request>& prepared, std::span<Answer> answers,
                             Report& report) const;
  int64_t most_prepared() const;

  const data::LabelSet& labels() const;
  const models::ClassifierOptions& options() const;
  // The first model, with the threshold that is used.
  model_file::ClassifierSession session() const;

 private:
  std::vector<int32_t> choose(std::span<const float> probabilities) const;

  std::span<const model_file::ClassifierSession> sessions_;
  TextBatchOptions options_;
  double threshold_ = 0;
  std::vector<std::unique_ptr<LineReader>> readers_;  // one for each session
};

// Tokens that such a model reads of a text, without special symbols: `wanted` at most.
int64_t text_limit(const model_file::ClassifierSession& session, int64_t wanted);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_CLASSIFICATION_CLASSIFIER_H_
