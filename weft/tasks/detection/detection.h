// Detection as a task: the objects of a picture, as a set of labelled boxes.
#ifndef WEFT_TASKS_DETECTION_DETECTION_H_
#define WEFT_TASKS_DETECTION_DETECTION_H_

#include "weft/model_file/detector.h"
#include "weft/tasks/detection/options.h"
#include "weft/train/task.h"

namespace weft::tasks {

class Detection : public train::Task {
 public:
  using Options = DetectionOptions;
  using Session = model_file::DetectorSession;
  static constexpr std::string_view kName = "detection";
  static constexpr std::string_view kTargets = "boxes";

  // Throws OptionError for options that contradict each other.
  explicit Detection(Options options);

  const Options& options() const override { return options_; }
  formats::AnyOptions all_options() const override { return formats::AnyOptions(options_); }
  void check_ranks() const override;
  void check_inputs() const override;
  void make_model(train::Group& group, bool resumes) override;
  std::vector<nn::NamedParameter> parameters() override;
  const Tensor& weights() const override { return session_.parameters; }
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override { return training_; }
  // A picture without a box counts as one box, so that no mean is over nothing.
  int64_t targets(int64_t example) const override;
  uint64_t fingerprint() const override;
  Tensor begin(DType type) override;
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  std::vector<train::Metric> validate() override;
  void save(const std::string& path, const Tensor& weights) const override;

 private:
  Options options_;
  std::shared_ptr<const data::LabelledBoxes> training_;
  std::unique_ptr<data::LabelledBoxes> validation_;
  Session session_;
  models::Detector trained_;  // on the session's parameters, or on rounded ones
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_DETECTION_DETECTION_H_
