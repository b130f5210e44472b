#include "weft/tasks/embedding/options.h"

#include <algorithm>
#include <utility>

#include "weft/core/error.h"
#include "weft/data/file_names.h"
#include "weft/data/sequences/plain_texts.h"
#include "weft/data/sequences/text_groups.h"
#include "weft/options/option_table.h"
#include "weft/tasks/labels/start.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

constexpr std::string_view kAuto = "auto";

bool is_never_read(std::string_view) { return false; }

}  // namespace

data::VocabularyText TextGroupDataOptions::vocabulary_text(
    const std::vector<std::string>& unlabelled) const {
  std::vector<std::string> all = train_sets;
  all.insert(all.end(), unlabelled.begin(), unlabelled.end());
  const auto name = [all](std::span<const int64_t>) { return data::joined_names(all); };
  const auto read = [files = train_sets, unlabelled, scores = has_scores()](
                        std::span<const int64_t>, const data::VocabularyText::Take& take) {
    data::read_text_groups(files, scores, [&](const data::TextGroup& group, const std::string&) {
      for (const std::string_view text : group.texts) take(text);
    });
    data::read_plain_texts(unlabelled, false,
                           [&](const data::PlainText& line) { take(line.text); });
  };
  return {name, read};
}

SentenceEmbeddingOptions::SentenceEmbeddingOptions() {
  loop.save_freq = options::Period::epochs(1);
  batching.mini_batch_words = 0;
  batching.mini_batch = 64;
  schedule.learn_rate = 0.001;
  schedule.warmup = 100;
  validation.valid_freq = options::Period::epochs(1);
  validation.valid_metrics = {std::string(kAuto)};
}

SentenceEmbeddingOptions SentenceEmbeddingOptions::completed() const {
  SentenceEmbeddingOptions out = *this;
  out.objective = objective.of_data(data.has_scores());
  if (!validation.valid_sets.empty() &&
      validation.valid_metrics == std::vector{std::string(kAuto)}) {
    out.validation.valid_metrics = {data.has_scores() ? "spearman" : "accuracy"};
  }
  return out;
}

models::EmbedderOptions SentenceEmbeddingOptions::started_from(
    models::EmbedderOptions found) const {
  found.encoder = tasks::started_from(std::move(found.encoder), model.encoder);
  return found;
}

int64_t SentenceEmbeddingOptions::count_examples(int64_t enough) const {
  const int64_t groups = count_lines(data.train_sets, enough);
  return groups + count_lines(teacher.unlabelled, enough - groups);
}

void SentenceEmbeddingOptions::check_unlabelled() const {
  check_without_teacher(teacher);
  if (teacher.unlabelled.empty()) return check_train_sets(data.train_sets, "lines of texts");
  if (!data.train_sets.empty()) return;
  constexpr std::string_view kWhen = "without --train-sets";
  check_teacher_weight(teacher);
  if (std::ranges::find(validation.valid_metrics, "loss") != validation.valid_metrics.end()) return;
  EmbeddingObjective given = objective;
  if (given.loss.name() == EmbeddingObjective().of_data(data.has_scores()).loss.name()) {
    given.loss.selection().select(LossByData::kName);  // `auto` was decided
  }
  options::check_unread(given, is_never_read, kWhen);
}

void SentenceEmbeddingOptions::check_start() const {
  if (from.empty()) {
    require_option(take_layers.empty(), "--take-layers", "needs --from, a model of more layers");
    if (data.vocabs.size() == 1) return;
    fail<OptionError>("--vocabs", "expected one vocabulary, or --from, got {}", data.vocabs.size());
  }
  check_beside_from(model, data, pretrained);
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
  check_unlabelled();
  model.check();
  options::check_scopes(*this);
  TaskOptions::validate(SentenceEmbeddingOptions());
  check_start();
  constexpr int64_t kAnyColumns = 3;
  objective.check(data.has_scores(), kAnyColumns);
  check_metrics();
  check_averages(*this, model.encoder.transformer);
  check_validation_unset(*this);
}

}  // namespace weft::tasks
