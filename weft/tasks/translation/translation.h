// The translation task: parallel text, an encoder-decoder model, and translation metrics.
#ifndef WEFT_TASKS_TRANSLATION_TRANSLATION_H_
#define WEFT_TASKS_TRANSLATION_TRANSLATION_H_

#include <optional>

#include "weft/data/corpus/alignments.h"
#include "weft/data/corpus/corpus.h"
#include "weft/data/corpus/weights.h"
#include "weft/data/text/open_vocabularies.h"
#include "weft/model_file/translator.h"
#include "weft/tasks/session_task.h"
#include "weft/tasks/translation/options.h"
#include "weft/tasks/translation/presets.h"
#include "weft/tasks/translation/validator.h"

namespace weft::tasks {

class Translation : public SessionTask<TranslationOptions, model_file::TranslatorSession> {
 public:
  static constexpr std::string_view kName = "translation";
  static constexpr std::string_view kTargets = "tokens";
  static constexpr std::span kPresets = kTranslationPresets;

  // Throws OptionError for options that contradict each other.
  explicit Translation(Options options);

  std::string_view name() const override { return kName; }
  void check_ranks() const override;
  void make_model(train::Group& group, bool resumes) override;
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override { return corpus_; }
  int64_t targets(int64_t example) const override { return corpus_->cost(example).rows; }
  uint64_t fingerprint() const override;
  void write_assets() const override { vocabularies_.write_made(); }
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  std::vector<train::Metric> validate() override { return validator_->measure(session_); }
  std::vector<train::Sample> samples() override { return validator_->samples(session_); }

 private:
  void create_model(train::Group& group, bool resumes);
  void start_from_model(train::Group& group);

  data::Vocabularies vocabularies_;
  std::optional<Objective> objective_;
  std::shared_ptr<const data::Corpus> corpus_;
  std::optional<data::Weights> weights_;        // of sentences or tokens
  std::optional<data::Alignments> alignments_;  // that guide attention
  std::unique_ptr<Validator> validator_;        // on rank 0
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_TRANSLATION_H_
