// The translation task: parallel text, an encoder-decoder model, and translation metrics.
#ifndef WEFT_TASKS_TRANSLATION_TRANSLATION_H_
#define WEFT_TASKS_TRANSLATION_TRANSLATION_H_

#include <optional>

#include "weft/data/alignments.h"
#include "weft/data/corpus.h"
#include "weft/data/open_vocabularies.h"
#include "weft/data/weights.h"
#include "weft/model_file/seq2seq.h"
#include "weft/tasks/translation/options.h"
#include "weft/tasks/translation/presets.h"
#include "weft/tasks/translation/validator.h"
#include "weft/train/task.h"

namespace weft::tasks {

class Translation : public train::Task {
 public:
  using Options = TranslationOptions;
  using Session = model_file::Seq2SeqSession;
  static constexpr std::string_view kName = "translation";
  static constexpr std::string_view kTargets = "tokens";
  static constexpr std::span kPresets = kTranslationPresets;

  // Throws OptionError for options that contradict each other.
  explicit Translation(Options options);

  const Options& options() const override { return options_; }
  formats::AnyOptions all_options() const override { return formats::AnyOptions(options_); }
  void check_ranks() const override;
  void check_inputs() const override;
  void make_model(train::Group& group, bool resumes) override;
  std::vector<nn::NamedParameter> parameters() override;
  const Tensor& weights() const override { return session_.parameters; }
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override { return corpus_; }
  int64_t targets(int64_t example) const override { return corpus_->cost(example).rows; }
  uint64_t fingerprint() const override;
  void write_assets() const override { vocabularies_.write_made(); }
  Tensor begin(DType type) override;
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  std::vector<train::Metric> validate() override { return validator_->measure(session_); }
  void save(const std::string& path, const Tensor& weights) const override;

 private:
  Options options_;
  data::Vocabularies vocabularies_;
  Session session_;
  models::Seq2Seq trained_;  // shares the session's parameters, or has BF16 copies
  std::optional<Objective> objective_;
  std::shared_ptr<const data::Corpus> corpus_;
  std::optional<data::Weights> weights_;        // of sentences or tokens
  std::optional<data::Alignments> alignments_;  // that guide attention
  std::unique_ptr<Validator> validator_;        // on rank 0
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_TRANSLATION_H_
