// Tagging as a task: text with a label for each word, or several, and labels of the whole.
#ifndef WEFT_TASKS_TAGGING_TAGGING_H_
#define WEFT_TASKS_TAGGING_TAGGING_H_

#include <optional>

#include "weft/model_file/tagger.h"
#include "weft/tasks/labels/labelled_data.h"
#include "weft/tasks/tagging/options.h"
#include "weft/tasks/tagging/validator.h"
#include "weft/train/task.h"

namespace weft::tasks {

class Tagging : public train::Task {
 public:
  using Options = TaggingOptions;
  using Session = model_file::TaggerSession;
  static constexpr std::string_view kName = "tagging";
  static constexpr std::string_view kTargets = "words";

  // Throws OptionError for options that contradict each other.
  explicit Tagging(Options options);

  const Options& options() const override { return options_; }
  formats::AnyOptions all_options() const override { return formats::AnyOptions(options_); }
  void check_ranks() const override;
  void check_inputs() const override { data_.check_inputs(); }
  void make_model(train::Group& group, bool resumes) override;
  std::vector<nn::NamedParameter> parameters() override;
  const Tensor& weights() const override { return session_.parameters; }
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override { return data_.training(); }
  int64_t targets(int64_t example) const override { return data_.training()->words(example); }
  uint64_t fingerprint() const override { return data_.fingerprint(); }
  void write_assets() const override { data_.write_made(); }
  Tensor begin(DType type) override;
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  std::vector<train::Metric> validate() override;
  void save(const std::string& path, const Tensor& weights) const override;

 private:
  Options options_;
  LabelledData data_;
  Session session_;
  models::Tagger trained_;  // on the session's parameters, or on rounded ones
  std::optional<TagValidator> validator_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TAGGING_TAGGING_H_
