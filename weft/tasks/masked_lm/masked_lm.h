// Masked language modelling as a task: the model predicts tokens from those on both sides.
#ifndef WEFT_TASKS_MASKED_LM_MASKED_LM_H_
#define WEFT_TASKS_MASKED_LM_MASKED_LM_H_

#include <memory>
#include <optional>

#include "weft/data/sequences/line_sequences.h"
#include "weft/model_file/masked_lm.h"
#include "weft/tasks/masked_lm/masking.h"
#include "weft/tasks/masked_lm/options.h"
#include "weft/tasks/session_task.h"

namespace weft::tasks {

class MaskedLanguageModelling
    : public SessionTask<MaskedLmTrainingOptions, model_file::MaskedLmSession> {
 public:
  static constexpr std::string_view kName = "masked-lm";
  static constexpr std::string_view kTargets = "tokens";

  // Throws OptionError for options that contradict each other.
  explicit MaskedLanguageModelling(Options options) : SessionTask(std::move(options)) {}

  std::string_view name() const override { return kName; }
  void check_ranks() const override;
  void make_model(train::Group& group, bool resumes) override;
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override { return training_; }
  int64_t targets(int64_t example) const override {
    return options_.masking.predicted(training_->known_tokens(example));
  }
  uint64_t fingerprint() const override { return training_->fingerprint(); }
  void write_assets() const override { vocabularies_.write_made(); }
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  std::vector<train::Metric> validate() override;

 private:
  void create_model(train::Group& group, bool resumes);
  void start_from_model();
  void go_on_from_model();
  std::shared_ptr<const data::LineSequences> read_lines(
      const std::vector<std::string>& files) const;

  data::Vocabularies vocabularies_;
  std::optional<Masking> masking_;
  std::shared_ptr<const data::LineSequences> training_;
  std::shared_ptr<const data::LineSequences> validation_;  // on rank 0
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_MASKED_LM_MASKED_LM_H_
