// Labels of lines, each a text or the path of a picture: N lines in, N results out, in their order.
#ifndef WEFT_PREDICT_CLASSIFICATION_CLASSIFIER_H_
#define WEFT_PREDICT_CLASSIFICATION_CLASSIFIER_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/data/images/image.h"
#include "weft/predict/classification/evaluation.h"
#include "weft/predict/classification/line_reader.h"
#include "weft/predict/classification/numbers.h"

namespace weft::predict {

// Of one line; nothing of it is set where the line has nothing to label, or where the models'
// scores are not finite.
struct LineLabels {
  std::vector<int32_t> labels;       // those given, the most probable first
  std::vector<float> probabilities;  // [C] of all; of --labels numbers, the numbers

  bool is_empty() const { return probabilities.empty(); }
};

// Examples whose labels are known, and how they are read.
struct LabelledFiles {
  const std::vector<std::string>& files;
  data::LabelledFields fields;
  data::BadFiles bad_files = data::BadFiles::kRefuse;
};

// One model, or several with the same labels and the same kind of input, whose probabilities are
// averaged. Of one thread at a time: it counts lines. A line's result does not depend on the
// others.
class Classifier {
 public:
  // The sessions have to outlive it. Throws OptionError where their labels, or their --labels, are
  // not the same, for several of --labels sequence, and for a threshold where there is none.
  Classifier(std::span<const model_file::ClassifierSession> sessions, const LineOptions& options,
             std::optional<double> threshold = {});

  std::vector<LineLabels> classify(std::span<const Line> lines);
  // The labels of pictures, for models of --input image; report() counts only those whose scores
  // are not finite.
  std::vector<LineLabels> classify(std::span<const data::Image> pictures);
  // Probabilities of all examples in the files. Throws OptionError for another number of files than
  // texts have, and NumericError for scores that are not finite.
  LabelScores probabilities(const LabelledFiles& in, ExpectedLabels& expected) const;
  // The same of models of --labels numbers: those predicted and those expected.
  LabelScores numbers(const LabelledFiles& in, std::vector<float>& expected) const;

  const data::LabelSet& labels() const { return sessions_.front().labels(); }
  const models::ClassifierOptions& options() const { return sessions_.front().model.options; }
  // The first model, with the threshold that is used.
  model_file::ClassifierSession session() const;
  LineReport report() const;

 private:
  int64_t max_length(const model_file::ClassifierSession& session) const;
  std::shared_ptr<const data::LabelledDataset> examples(
      const model_file::ClassifierSession& session, const LabelledFiles& in,
      const data::LabelledTextOptions& text, const data::LabelSet& labels) const;
  // Adds the probabilities of examples, or their numbers, by one of the models to those of lines
  // `numbers`.
  void add_probabilities(const model_file::ClassifierSession& session, const data::Field& input,
                         std::span<const size_t> numbers, std::vector<LineLabels>& lines) const;
  void choose_all(std::vector<LineLabels>& lines);
  std::vector<int32_t> choose(std::span<const float> probabilities) const;

  std::span<const model_file::ClassifierSession> sessions_;
  LineOptions options_;
  double threshold_ = 0.5;
  std::vector<std::unique_ptr<LineReader>> readers_;  // one for each session
  int64_t classified_ = 0;                            // lines, or pictures, so far
  NotFiniteLines not_finite_;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_CLASSIFICATION_CLASSIFIER_H_
