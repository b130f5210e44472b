#include "weft/tasks/language_modelling/options.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/options/option_table.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

// What the options of a model say of its training alone.
constexpr std::string_view kDropoutOptions[] = {
    "transformer-dropout", "transformer-dropout-attention", "transformer-dropout-ffn", "drop-path"};

}  // namespace

data::TextFormat TextDataOptions::text_format() const {
  if (format == "auto") return data::TextFormat::kByName;
  if (format == "documents") return data::TextFormat::kDocuments;
  return format == "lines" ? data::TextFormat::kLines : data::TextFormat::kJsonLines;
}

LanguageModellingOptions::LanguageModellingOptions() {
  schedule.learn_rate = 0.001;
  schedule.warmup = 100;
  validation.valid_metrics = {"cross-entropy"};
}

void LanguageModellingOptions::check_start() const {
  low_rank.validate();
  if (from.empty()) {
    if (low_rank.is_used()) {
      fail<OptionError>("--lora-rank", "expected --from, a model whose weights are kept");
    }
    if (data.vocabs.size() == 1) return;
    fail<OptionError>("--vocabs", "expected one vocabulary, or --from, got {}", data.vocabs.size());
  }
  const auto is_dropout = [](std::string_view name) {
    return std::ranges::find(kDropoutOptions, name) != std::end(kDropoutOptions);
  };
  options::check_unread(model, is_dropout, "with --from");
  options::check_unread(
      static_cast<const data::VocabularyOptions&>(data), [](std::string_view) { return false; },
      "with --from");
  options::check_unread(
      loop.pretrained, [](std::string_view) { return false; }, "with --from");
}

models::LanguageModelOptions LanguageModellingOptions::started_from(
    models::LanguageModelOptions found) const {
  nn::TransformerOptions& to = found.layers.transformer;
  const nn::TransformerOptions& given = model.layers.transformer;
  to.dropout = given.dropout;
  to.drop_path = given.drop_path;
  to.attention.dropout = given.attention.dropout;
  to.feed_forward.dropout = given.feed_forward.dropout;
  return found;
}

void LanguageModellingOptions::check_length(const models::LanguageModelOptions& trained) const {
  if (data.max_length <= trained.context()) return;
  fail<OptionError>("--max-length", "{} is over the positions of the model; expected at most {}",
                    data.max_length, trained.context());
}

void LanguageModellingOptions::validate() const {
  model.check();
  options::check_scopes(*this);
  TrainOptions::validate(LanguageModellingOptions());
  check_train_sets(data.train_sets, "text");
  check_start();
  if (from.empty()) check_length(model);
  check_averages(*this, model.layers.transformer);
  check_validation_unset(*this);
}

}  // namespace weft::tasks
