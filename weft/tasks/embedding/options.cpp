#include "weft/tasks/embedding/options.h"

#include <algorithm>
#include <utility>

#include "weft/core/error.h"
#include "weft/data/file_names.h"
#include "weft/data/sequences/text_groups.h"
#include "weft/options/option_table.h"
#include "weft/tasks/labels/start.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

constexpr std::string_view kAuto = "auto";

// What the options of a model say of its training alone.
constexpr std::string_view kTrainingOptions[] = {
    "transformer-dropout", "transformer-dropout-attention", "transformer-dropout-ffn", "drop-path",
    "word-dropout"};

bool is_of_training(std::string_view name) {
  return std::ranges::find(kTrainingOptions, name) != std::end(kTrainingOptions);
}
bool is_never_read(std::string_view) { return false; }

}  // namespace

data::VocabularyText TextGroupDataOptions::vocabulary_text() const {
  const auto name = [files = train_sets](std::span<const int64_t>) {
    return data::joined_names(files);
  };
  const auto read = [files = train_sets, scores = has_scores()](
                        std::span<const int64_t>, const data::VocabularyText::Take& take) {
    data::read_text_groups(files, scores, [&](const data::TextGroup& group, const std::string&) {
      for (const std::string_view text : group.texts) take(text);
    });
  };
  return {name, read};
}

SentenceEmbeddingOptions::SentenceEmbeddingOptions() {
  loop.save_freq = Period::epochs(1);
  batching.mini_batch_words = 0;
  batching.mini_batch = 64;
  schedule.learn_rate = 0.001;
  schedule.warmup = 100;
  validation.valid_freq = Period::epochs(1);
  validation.valid_metrics = {std::string(kAuto)};
}

SentenceEmbeddingOptions SentenceEmbeddingOptions::completed() const {
  SentenceEmbeddingOptions out = *this;
  out.objective = objective.of_data(data.has_scores());
  if (validation.valid_metrics == std::vector{std::string(kAuto)}) {
    out.validation.valid_metrics = {data.has_scores() ? "spearman" : "accuracy"};
  }
  return out;
}

models::EmbedderOptions SentenceEmbeddingOptions::started_from(
    models::EmbedderOptions found) const {
  found.encoder = tasks::started_from(std::move(found.encoder), model.encoder);
  return found;
}

void SentenceEmbeddingOptions::check_start() const {
  if (from.empty()) {
    if (data.vocabs.size() == 1) return;
    fail<OptionError>("--vocabs", "expected one vocabulary, or --from, got {}", data.vocabs.size());
  }
  options::check_unread(model, is_of_training, "with --from");
  options::check_unread(static_cast<const data::VocabularyOptions&>(data), is_never_read,
                        "with --from");
  options::check_unread(loop.pretrained, is_never_read, "with --from");
}

void SentenceEmbeddingOptions::check_metrics() const {
  if (validation.valid_sets.empty()) return;
  for (const std::string& metric : completed().validation.valid_metrics) {
    require_option(metric != kAuto, "--valid-metrics",
                   "auto stands for a metric; expected none beside it");
    if (metric == "loss") continue;
    const bool is_of_scores = metric == "spearman" || metric == "pearson";
    if (is_of_scores == data.has_scores()) continue;
    fail<OptionError>(
        "--valid-metrics", "{} is of --format {}; expected {}", metric,
        is_of_scores ? "scores" : "texts",
        data.has_scores() ? "spearman, pearson or loss" : "accuracy, mrr, ndcg or loss");
  }
}

void SentenceEmbeddingOptions::validate() const {
  model.check();
  options::check_scopes(*this);
  TrainOptions::validate(SentenceEmbeddingOptions());
  check_train_sets(data.train_sets, "lines of texts");
  check_start();
  constexpr int64_t kAnyColumns = 3;
  objective.check(data.has_scores(), kAnyColumns);
  check_metrics();
  check_averages(*this, model.encoder.transformer);
  check_validation_unset(*this);
}

}  // namespace weft::tasks
