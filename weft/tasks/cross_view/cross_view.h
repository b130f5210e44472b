// Models of two views as a task: completion of one view by the other, and regression of how they
// differ.
#ifndef WEFT_TASKS_CROSS_VIEW_CROSS_VIEW_H_
#define WEFT_TASKS_CROSS_VIEW_CROSS_VIEW_H_

#include "weft/model_file/cross_view.h"
#include "weft/tasks/cross_view/options.h"
#include "weft/train/task.h"

namespace weft::tasks {

class CrossView : public train::Task {
 public:
  using Options = CrossViewTrainOptions;
  using Session = model_file::CrossViewSession;
  static constexpr std::string_view kName = "cross-view";
  static constexpr std::string_view kTargets = "pairs";

  // Throws OptionError for options that contradict each other.
  explicit CrossView(Options options);

  const Options& options() const override { return options_; }
  formats::AnyOptions all_options() const override { return formats::AnyOptions(options_); }
  void check_ranks() const override;
  void check_inputs() const override;
  void make_model(train::Group& group, bool resumes) override;
  std::vector<nn::NamedParameter> parameters() override;
  const Tensor& weights() const override { return session_.parameters; }
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override { return training_; }
  // Pairs have the same number of masked patches, or of numbers.
  int64_t targets(int64_t) const override { return 1; }
  uint64_t fingerprint() const override { return training_->fingerprint(); }
  Tensor begin(DType type) override;
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  std::vector<train::Metric> validate() override;
  void save(const std::string& path, const Tensor& weights) const override;

 private:
  double mask_ratio() const;

  Options options_;
  std::shared_ptr<const data::ViewPairs> training_;
  std::unique_ptr<data::ViewPairs> validation_;
  Session session_;
  models::CrossViewModel trained_;  // on the session's parameters, or on rounded ones
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_CROSS_VIEW_CROSS_VIEW_H_
