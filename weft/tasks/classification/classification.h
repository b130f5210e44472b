// Classification as a task: labels of a whole text or picture, and what they are measured by.
#ifndef WEFT_TASKS_CLASSIFICATION_CLASSIFICATION_H_
#define WEFT_TASKS_CLASSIFICATION_CLASSIFICATION_H_

#include "weft/model_file/classifier.h"
#include "weft/predict/classification/label_probabilities.h"
#include "weft/tasks/classification/model_start.h"
#include "weft/tasks/classification/teacher.h"
#include "weft/tasks/session_task.h"

namespace weft::tasks {

class Classification : public SessionTask<ClassificationOptions, model_file::ClassifierSession> {
 public:
  static constexpr std::string_view kName = "classification";
  static constexpr std::string_view kTargets = "examples";

  // Throws OptionError for options that contradict each other.
  explicit Classification(const Options& options);

  std::string_view name() const override { return kName; }
  void check_ranks() const override;
  void make_model(train::Group& group, bool resumes) override;
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override;
  int64_t targets(int64_t) const override { return 1; }
  uint64_t fingerprint() const override;
  void write_assets() const override { input_->write_made(); }
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  // Of several labels it tunes the threshold, and with --calibrate the temperature, of what is
  // saved next.
  std::vector<train::Metric> validate() override;

 private:
  // Of the model, with those of --from.
  const models::ClassifierOptions& model_options() const {
    return options_.start.is_used() ? start_.model : options_.model;
  }
  void check_labels() const;
  ClassificationStart start_of_input() const;
  ops::Loss taught_loss(const train::MicroBatch& batch, const models::ClassifierLoss& params,
                        const nn::Context& context) const;
  std::vector<train::Metric> label_metrics(predict::LabelScores logits);
  std::vector<train::Metric> number_metrics(predict::LabelScores scores) const;

  ClassifierStart start_;
  std::optional<ClassifierTeacher> teacher_;
  std::unique_ptr<ClassificationInput> input_;
  std::shared_ptr<const data::Dataset> joint_;  // with a teacher
  ops::RowWeights label_weights_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_CLASSIFICATION_CLASSIFICATION_H_
