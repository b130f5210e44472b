// Language modelling as a task: the model predicts each token of a text from those before it.
#ifndef WEFT_TASKS_LANGUAGE_MODELLING_LANGUAGE_MODELLING_H_
#define WEFT_TASKS_LANGUAGE_MODELLING_LANGUAGE_MODELLING_H_

#include <memory>
#include <optional>

#include "weft/model_file/adapter.h"
#include "weft/model_file/language_model.h"
#include "weft/tasks/language_modelling/options.h"
#include "weft/tasks/language_modelling/text_data.h"
#include "weft/tasks/session_task.h"

namespace weft::tasks {

// An adapter that is trained beside a model.
struct AdapterTraining {
  model_file::AdapterOptions options;
  Tensor updates;  // [P], those of nn::low_rank_parameters()
  Tensor frozen;   // the weights of the model in BF16, where it is trained in that
};

class LanguageModelling
    : public SessionTask<LanguageModellingOptions, model_file::LanguageModelSession> {
 public:
  static constexpr std::string_view kName = "language-model";
  static constexpr std::string_view kTargets = "tokens";

  static std::string_view kind_of(const Options& options) {
    return options.low_rank.is_used() ? model_file::AdapterOptions::kKind : Session::kKind;
  }

  // Throws OptionError for options that contradict each other.
  explicit LanguageModelling(Options options) : SessionTask(std::move(options)) {}

  std::string_view name() const override { return kName; }
  void check_ranks() const override;
  void make_model(train::Group& group, bool resumes) override;
  // Of the adapter, where there is one.
  std::vector<nn::NamedParameter> parameters() override;
  const Tensor& weights() const override;
  Tensor begin(DType type) override;
  void save(const std::string& path, const Tensor& weights) const override;
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override { return training_; }
  int64_t targets(int64_t example) const override { return training_->labels(example); }
  uint64_t fingerprint() const override;
  void write_assets() const override { vocabularies_.write_made(); }
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  std::vector<train::Metric> validate() override;
  std::vector<train::Sample> samples() override;

 private:
  void create_model(train::Group& group, bool resumes);
  void start_from_model();
  void start_adapter();

  data::Vocabularies vocabularies_;
  std::optional<AdapterTraining> adapter_;  // of --lora-rank
  std::shared_ptr<const data::TokenSequences> training_;
  std::optional<TextSequences> validation_;  // on rank 0
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LANGUAGE_MODELLING_LANGUAGE_MODELLING_H_
