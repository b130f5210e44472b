// Language modelling as a task: the model predicts each token of a text from those before it.
#ifndef WEFT_TASKS_LANGUAGE_MODELLING_LANGUAGE_MODELLING_H_
#define WEFT_TASKS_LANGUAGE_MODELLING_LANGUAGE_MODELLING_H_

#include <memory>
#include <optional>

#include "weft/model_file/language_model.h"
#include "weft/tasks/language_modelling/options.h"
#include "weft/tasks/language_modelling/text_data.h"
#include "weft/tasks/session_task.h"

namespace weft::tasks {

class LanguageModelling
    : public SessionTask<LanguageModellingOptions, model_file::LanguageModelSession> {
 public:
  static constexpr std::string_view kName = "language-model";
  static constexpr std::string_view kTargets = "tokens";

  // Throws OptionError for options that contradict each other.
  explicit LanguageModelling(Options options) : SessionTask(std::move(options)) {}

  std::string_view name() const override { return kName; }
  void check_ranks() const override;
  void make_model(train::Group& group, bool resumes) override;
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override { return training_; }
  int64_t targets(int64_t example) const override { return training_->labels(example); }
  uint64_t fingerprint() const override { return training_->fingerprint(); }
  void write_assets() const override { vocabularies_.write_made(); }
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  std::vector<train::Metric> validate() override;

 private:
  void create_model(train::Group& group, bool resumes);
  void start_from_model();

  data::Vocabularies vocabularies_;
  std::shared_ptr<const data::TokenSequences> training_;
  std::optional<TextSequences> validation_;  // on rank 0
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LANGUAGE_MODELLING_LANGUAGE_MODELLING_H_
