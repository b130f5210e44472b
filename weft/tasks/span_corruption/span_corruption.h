// Span corruption as a task: an encoder-decoder learns to write what is missing in a text (Raffel
// et al. 2020, arXiv 1910.10683).
#ifndef WEFT_TASKS_SPAN_CORRUPTION_SPAN_CORRUPTION_H_
#define WEFT_TASKS_SPAN_CORRUPTION_SPAN_CORRUPTION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/data/sequences/line_sequences.h"
#include "weft/model_file/translator.h"
#include "weft/tasks/session_task.h"
#include "weft/tasks/span_corruption/corruption.h"
#include "weft/tasks/span_corruption/options.h"

namespace weft::tasks {

class SpanCorruption : public SessionTask<SpanCorruptionOptions, model_file::TranslatorSession> {
 public:
  static constexpr std::string_view kName = "span-corruption";
  static constexpr std::string_view kTargets = "tokens";

  // Throws OptionError for options that contradict each other.
  explicit SpanCorruption(Options options) : SessionTask(std::move(options)) {}

  std::string_view name() const override { return kName; }
  void check_ranks() const override;
  void make_model(train::Group& group, bool resumes) override;
  void read_data(train::Group& group) override;
  std::shared_ptr<const data::Dataset> dataset() const override { return training_; }
  int64_t targets(int64_t example) const override { return lengths(*training_, example).target; }
  uint64_t fingerprint() const override { return training_->fingerprint(); }
  void write_assets() const override { vocabularies_.write_made(); }
  ops::Loss loss(const train::MicroBatch& batch, const nn::Context& context) override;
  std::vector<train::Metric> validate() override;

 private:
  void create_model(train::Group& group, bool resumes);
  void start_from_model(train::Group& group);
  std::shared_ptr<const data::LineSequences> read_lines(
      const std::vector<std::string>& files) const;
  // Of the pair that an example becomes.
  models::PairLengths lengths(const data::LineSequences& lines, int64_t example) const;

  data::Vocabularies vocabularies_;
  std::optional<Corruption> corruption_;
  std::shared_ptr<const data::LineSequences> training_;
  std::shared_ptr<const data::LineSequences> validation_;  // on rank 0
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_SPAN_CORRUPTION_SPAN_CORRUPTION_H_
