#include "weft/metrics/text/text_metrics.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"
#include "weft/core/text/unicode.h"
#include "weft/metrics/text/corpus.h"
#include "weft/metrics/text/error_rate.h"
#include "weft/metrics/text/rouge.h"
#include "weft/metrics/text/text.h"

namespace weft::metrics {
namespace {

using Lines = std::vector<std::string>;

struct TextMetric {
  std::string_view option, name;
  Statistics (*statistics)(const ComparedTexts& texts);
  bool is_error_rate = false;
};

Statistics exact_match_statistics(const ComparedTexts& texts) {
  check_corpus("exact match", texts.hypotheses, texts.references);
  Statistics out{.width = 2};
  for (size_t i = 0; i < texts.hypotheses.size(); ++i) {
    const bool is_right = std::ranges::any_of(texts.references, [&](const Lines& reference) {
      return reference[i] == texts.hypotheses[i];
    });
    out.values.insert(out.values.end(), {is_right ? 1.0 : 0.0, 1.0});
  }
  out.score = [](std::span<const double> sums) { return sums[0] / sums[1]; };
  return out;
}

const Lines& only_reference(const ComparedTexts& texts) {
  check_corpus("error rate", texts.hypotheses, texts.references);
  if (texts.references.size() != 1) {
    fail<FormatError>("error rate", "{} references; expected one", texts.references.size());
  }
  return texts.references.front();
}

// Those whose score is a plain number; BLEU and chrF have options and formats of their own.
constexpr TextMetric kMetrics[] = {
    {"exact-match", "exact match", exact_match_statistics},
    {"word-error-rate", "WER",
     [](const ComparedTexts& t) { return word_error_statistics(t.hypotheses, only_reference(t)); },
     true},
    {"character-error-rate", "CER",
     [](const ComparedTexts& t) {
       return character_error_statistics(t.hypotheses, only_reference(t));
     },
     true},
    {"rouge1", "rouge1",
     [](const ComparedTexts& t) {
       return rouge_statistics(RougeKind::k1, t.hypotheses, t.references);
     }},
    {"rouge2", "rouge2",
     [](const ComparedTexts& t) {
       return rouge_statistics(RougeKind::k2, t.hypotheses, t.references);
     }},
    {"rougeL", "rougeL",
     [](const ComparedTexts& t) {
       return rouge_statistics(RougeKind::kL, t.hypotheses, t.references);
     }},
};

const TextMetric* find(std::string_view option) {
  const auto found = std::ranges::find(kMetrics, option, &TextMetric::option);
  return found == std::end(kMetrics) ? nullptr : found;
}

const TextMetric& metric_named(std::string_view option) {
  const TextMetric* const found = find(option);
  if (found == nullptr) fail<OptionError>("metric", "expected {}, got {}", kTextMetrics, option);
  return *found;
}

Lines lowered(std::span<const std::string> lines) {
  Lines out;
  for (const std::string& line : lines) out.push_back(encode_utf8(to_lower(decode_utf8(line))));
  return out;
}

Statistics plain_statistics(const TextMetric& metric, const ComparedTexts& texts,
                            const TextMetricOptions& options) {
  if (!options.lowercase) return metric.statistics(texts);
  const Lines hypotheses = lowered(texts.hypotheses);
  std::vector<Lines> references;
  for (const Lines& reference : texts.references) references.push_back(lowered(reference));
  return metric.statistics({hypotheses, references});
}

// "(1 of 2)", or what ROUGE is made of.
std::string details(std::span<const double> sums) {
  if (sums.size() == 2) return fmt::format("({} of {})", sums[0], sums[1]);
  return fmt::format("(precision {:.4f}, recall {:.4f})", sums[0] / sums[3], sums[1] / sums[3]);
}

}  // namespace

bool is_text_metric(std::string_view name) {
  return name == "bleu" || name == "chrf" || find(name) != nullptr;
}

bool is_error_rate(std::string_view name) {
  const TextMetric* const metric = find(name);
  return metric != nullptr && metric->is_error_rate;
}

Statistics text_statistics(std::string_view name, const ComparedTexts& texts,
                           const TextMetricOptions& options) {
  if (name == "bleu") return bleu_statistics(texts.hypotheses, texts.references, options.bleu);
  if (name == "chrf") return chrf_statistics(texts.hypotheses, texts.references, options.chrf);
  return plain_statistics(metric_named(name), texts, options);
}

TextScore text_score(std::string_view name, const ComparedTexts& texts,
                     const TextMetricOptions& options) {
  if (name == "bleu") {
    const BleuScore bleu = corpus_bleu(texts.hypotheses, texts.references, options.bleu);
    return {"BLEU", bleu.score, bleu_signature(options.bleu, texts.references.size()), bleu.text()};
  }
  if (name == "chrf") {
    const ChrfScore chrf = corpus_chrf(texts.hypotheses, texts.references, options.chrf);
    return {chrf.name(), chrf.score, chrf_signature(options.chrf, texts.references.size()),
            chrf.text()};
  }
  const TextMetric& metric = metric_named(name);
  const Statistics statistics = plain_statistics(metric, texts, options);
  const std::vector<double> sums = statistics.total();
  const double score = statistics.score(sums);
  return {std::string(metric.name), score, "",
          fmt::format("{} = {:.4f} {}", metric.name, score, details(sums))};
}

}  // namespace weft::metrics
