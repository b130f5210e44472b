#include "weft/metrics/text/metric_options.h"

#include <fmt/core.h>

#include <utility>

#include "weft/core/error.h"
#include "weft/core/text/counted.h"
#include "weft/data/text/tokeniser.h"
#include "weft/metrics/alignment_error.h"

namespace weft::metrics {
namespace {

NamedLinks hypothesis_links(const TextsToScore& texts) {
  return {texts.hypotheses.name, texts.hypotheses.texts};
}
NamedLinks reference_links(const TextsToScore& texts) {
  return {texts.reference_names.front(), texts.references.front()};
}

void check_some(std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) fail<FormatError>(name, "no text; expected at least one line");
}

}  // namespace

void MetricOptions::check(size_t references) const {
  for (const std::string& name : names) {
    if (references == 1 || (name != AerMetric::kName && !is_error_rate(name))) continue;
    fail<OptionError>("--references", "expected one file for {}, got {}", name, references);
  }
}

TextMetricOptions MetricOptions::params() const {
  return {.bleu = {.tokenizer = tokenizer_of(tokenize), .lowercase = lowercase},
          .chrf = {.word_order = static_cast<int>(chrf_word_order), .lowercase = lowercase},
          .lowercase = lowercase};
}

void NamedTexts::undo_bpe() {
  for (std::string& text : texts) text = data::undo_bpe(text);
}

void TextsToScore::add_reference(NamedTexts reference) {
  reference_names.push_back(std::move(reference.name));
  references.push_back(std::move(reference.texts));
}

void TextsToScore::check() const {
  check_some(hypotheses.name, hypotheses.texts);
  for (size_t r = 0; r < references.size(); ++r) {
    check_some(reference_names[r], references[r]);
    if (references[r].size() == hypotheses.texts.size()) continue;
    fail<FormatError>(reference_names[r], "{}; expected {}, the number of lines of {}",
                      counted(std::ssize(references[r]), "line"), hypotheses.texts.size(),
                      hypotheses.name);
  }
}

TextScore score_of(std::string_view metric, const TextsToScore& texts,
                   const MetricOptions& options) {
  if (metric != AerMetric::kName) {
    return text_score(metric, {texts.hypotheses.texts, texts.references}, options.params());
  }
  const AlignmentScore score = alignment_error(hypothesis_links(texts), reference_links(texts));
  return {"AER", score.error_rate, "",
          fmt::format("AER = {:.4f} (precision {:.4f}, recall {:.4f})", score.error_rate,
                      score.precision, score.recall)};
}

Statistics statistics_of(std::string_view metric, const TextsToScore& texts,
                         const MetricOptions& options) {
  if (metric != AerMetric::kName) {
    return text_statistics(metric, {texts.hypotheses.texts, texts.references}, options.params());
  }
  return alignment_statistics(hypothesis_links(texts), reference_links(texts));
}

}  // namespace weft::metrics
