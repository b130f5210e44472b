#include "apps/weft/output/text_metrics.h"

#include <fmt/core.h>

#include "weft/core/error.h"
#include "weft/core/text/counted.h"
#include "weft/data/standard_input.h"
#include "weft/data/text/text_file.h"
#include "weft/data/text/tokeniser.h"
#include "weft/metrics/alignment_error.h"

namespace weft::app {

void TextMetricOptions::check(size_t references) const {
  for (const std::string& name : names) {
    if (references == 1 || (name != AerMetric::kName && !metrics::is_error_rate(name))) continue;
    fail<OptionError>("--references", "expected one file for {}, got {}", name, references);
  }
}

metrics::TextMetricOptions TextMetricOptions::params() const {
  return {.bleu = {.tokenizer = metrics::tokenizer_of(tokenize), .lowercase = lowercase},
          .chrf = {.word_order = static_cast<int>(chrf_word_order), .lowercase = lowercase},
          .lowercase = lowercase};
}

NamedLines read_named_lines(const std::string& path, bool undo_bpe) {
  const bool is_standard = path == data::kStandardInput;
  NamedLines out{is_standard ? std::string(data::kStandardInputName) : path,
                 data::read_lines(path)};
  if (out.lines.empty()) fail<FormatError>(out.name, "no text; expected at least one line");
  if (undo_bpe) {
    for (std::string& line : out.lines) line = data::undo_bpe(line);
  }
  return out;
}

References::References(const std::vector<std::string>& paths, bool undo_bpe) {
  for (const std::string& path : paths) {
    NamedLines reference = read_named_lines(path, undo_bpe);
    names.push_back(std::move(reference.name));
    lines.push_back(std::move(reference.lines));
  }
}

void References::check(const NamedLines& hypotheses) const {
  for (size_t r = 0; r < lines.size(); ++r) {
    if (lines[r].size() == hypotheses.lines.size()) continue;
    fail<FormatError>(names[r], "{}; expected {}, the number of lines of {}",
                      counted(std::ssize(lines[r]), "line"), hypotheses.lines.size(),
                      hypotheses.name);
  }
}

metrics::TextScore score_of(std::string_view metric, const NamedLines& hypotheses,
                            const References& references, const TextMetricOptions& options) {
  if (metric != AerMetric::kName) {
    return metrics::text_score(metric, {hypotheses.lines, references.lines}, options.params());
  }
  const metrics::AlignmentScore score = metrics::alignment_error(
      {hypotheses.name, hypotheses.lines}, {references.names.front(), references.lines.front()});
  return {"AER", score.error_rate, "",
          fmt::format("AER = {:.4f} (precision {:.4f}, recall {:.4f})", score.error_rate,
                      score.precision, score.recall)};
}

metrics::Statistics statistics_of(std::string_view metric, const NamedLines& hypotheses,
                                  const References& references, const TextMetricOptions& options) {
  if (metric != AerMetric::kName) {
    return metrics::text_statistics(metric, {hypotheses.lines, references.lines}, options.params());
  }
  return metrics::alignment_statistics({hypotheses.name, hypotheses.lines},
                                       {references.names.front(), references.lines.front()});
}

}  // namespace weft::app
