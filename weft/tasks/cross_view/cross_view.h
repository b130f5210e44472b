// Models of two views as a task: completion of one view by the other, and regression of how they
// differ.
#ifndef WEFT_TASKS_CROSS_VIEW_CROSS_VIEW_H_
#define WEFT_TASKS_CROSS_VIEW_CROSS_VIEW_H_

#include "weft/model_file/cross_view.h"
#include "weft/tasks/cross_view/options.h"
#include "weft/tasks/session_task.h"

namespace weft::tasks {

class CrossView : public SessionTask<CrossViewTrainOptions, model_file::CrossViewSession> {
 public:
  static constexpr std::string_view kName = "cross-view";
  static constexpr std::string_view kTargets = "pairs";

  // Throws OptionError for options that contradict each other.
  explicit CrossView(Options options);

  std::string_view name() const override { return kName; }
  void check_ranks() const override;
  void make_model(train::Group& group, bool resumes) override;
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override { return training_; }
  // Pairs have the same number of masked patches, or of numbers.
  int64_t targets(int64_t) const override { return 1; }
  uint64_t fingerprint() const override { return training_->fingerprint(); }
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  std::vector<train::Metric> validate() override;

 private:
  double mask_ratio() const;
  // How pairs are read; what is 0 of the shape is that of the first picture.
  data::ViewPairsOptions pair_options(const data::ImageShape& shape) const;

  std::shared_ptr<const data::ViewPairs> training_;
  std::unique_ptr<data::ViewPairs> validation_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_CROSS_VIEW_CROSS_VIEW_H_
