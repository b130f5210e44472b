// The metrics of texts beside their references, by name.
#ifndef WEFT_METRICS_TEXT_TEXT_METRICS_H_
#define WEFT_METRICS_TEXT_TEXT_METRICS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/metrics/statistics.h"
#include "weft/metrics/text/bleu.h"
#include "weft/metrics/text/chrf.h"

namespace weft::metrics {

// As the choices of an option. exact-match is the fraction of lines that equal a reference; rouge1,
// rouge2 and rougeL are F1.
inline constexpr std::string_view kTextMetrics =
    "bleu|chrf|exact-match|word-error-rate|character-error-rate|rouge1|rouge2|rougeL";

bool is_text_metric(std::string_view name);
// Whether lower is better.
bool is_error_rate(std::string_view name);

struct TextMetricOptions {
  BleuOptions bleu = {};
  ChrfOptions chrf = {};
  bool lowercase = false;  // of the others; ROUGE always does
};

// The hypotheses and references[r] of each line.
struct ComparedTexts {
  std::span<const std::string> hypotheses;
  std::span<const std::vector<std::string>> references;
};

// Throws FormatError if there are no lines or no references, if the numbers of lines differ, and
// for several references of an error rate.
Statistics text_statistics(std::string_view name, const ComparedTexts& texts,
                           const TextMetricOptions& options = {});

// A score with the fields of sacreBLEU's JSON.
struct TextScore {
  std::string name;  // "BLEU"
  double score = 0;
  std::string signature;  // may be empty
  std::string text;       // "BLEU = 35.12 ..."
};
// Throws as text_statistics() does.
TextScore text_score(std::string_view name, const ComparedTexts& texts,
                     const TextMetricOptions& options = {});

}  // namespace weft::metrics

#endif  // WEFT_METRICS_TEXT_TEXT_METRICS_H_
