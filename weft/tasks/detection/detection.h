// Detection as a task: the objects of a picture, as a set of labelled boxes.
#ifndef WEFT_TASKS_DETECTION_DETECTION_H_
#define WEFT_TASKS_DETECTION_DETECTION_H_

#include "weft/model_file/detector.h"
#include "weft/tasks/detection/options.h"
#include "weft/tasks/session_task.h"

namespace weft::tasks {

class Detection : public SessionTask<DetectionOptions, model_file::DetectorSession> {
 public:
  static constexpr std::string_view kName = "detection";
  static constexpr std::string_view kTargets = "boxes";

  // Throws OptionError for options that contradict each other.
  explicit Detection(Options options);

  std::string_view name() const override { return kName; }
  void check_ranks() const override;
  void make_model(train::Group& group, bool resumes) override;
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override { return training_; }
  // The boxes of a picture before it is changed at random.
  int64_t targets(int64_t example) const override;
  uint64_t fingerprint() const override;
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  std::vector<train::Metric> validate() override;

 private:
  std::shared_ptr<const data::LabelledBoxes> training_;
  std::unique_ptr<data::LabelledBoxes> validation_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_DETECTION_DETECTION_H_
