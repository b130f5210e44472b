// Which metrics of texts are computed, by their names, and the texts that they are of.
#ifndef WEFT_METRICS_TEXT_METRIC_OPTIONS_H_
#define WEFT_METRICS_TEXT_METRIC_OPTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/metrics/text/text_metrics.h"
#include "weft/options/fields.h"
#include "weft/options/option_table.h"

namespace weft::metrics {

// Kinds of --metrics, to which options belong.
struct BleuMetric {
  static constexpr std::string_view kName = "bleu";
};
struct ChrfMetric {
  static constexpr std::string_view kName = "chrf";
};
struct ExactMatchMetric {
  static constexpr std::string_view kName = "exact-match";
};
struct WordErrorMetric {
  static constexpr std::string_view kName = "word-error-rate";
};
struct CharacterErrorMetric {
  static constexpr std::string_view kName = "character-error-rate";
};
struct Rouge1Metric {
  static constexpr std::string_view kName = "rouge1";
};
struct Rouge2Metric {
  static constexpr std::string_view kName = "rouge2";
};
struct RougeLMetric {
  static constexpr std::string_view kName = "rougeL";
};
struct AerMetric {
  static constexpr std::string_view kName = "aer";
};

struct MetricOptions {
  std::vector<std::string> names = {"bleu", "chrf"};
  std::string tokenize = "13a";
  bool lowercase = false;
  int64_t chrf_word_order = 0;
  bool undo_bpe = false;

  template <class V>
  void fields(V& v) {
    v("metrics", names,
      {.help =
           "BLEU (Papineni et al. 2002), chrF (Popović 2015), lines that equal a reference, word "
           "and character errors, ROUGE (Lin 2004), or the error rate of word alignments such as "
           "0-0 1-2 (Och and Ney 2003), with 1?2 for a possible link of a reference",
       .choices = options::OneOf<BleuMetric, ChrfMetric, ExactMatchMetric, WordErrorMetric,
                                 CharacterErrorMetric, Rouge1Metric, Rouge2Metric, RougeLMetric,
                                 AerMetric>::choices()});
    for_metrics<BleuMetric>(v, [&] {
      v("tokenize", tokenize,
        {.help = "tokeniser of BLEU: WMT's 13a, none (for tokenised text), characters, or Chinese",
         .choices = "13a|none|char|zh"});
    });
    for_metrics<BleuMetric, ChrfMetric, ExactMatchMetric, WordErrorMetric, CharacterErrorMetric>(
        v, [&] { v("lowercase", lowercase, {.help = "ignore case, as ROUGE always does"}); });
    for_metrics<ChrfMetric>(v, [&] {
      v("chrf-word-order", chrf_word_order,
        {.help = "maximum word n-gram order of chrF; 2: chrF++ (Popović 2017)",
         .min = 0,
         .max = 16});
    });
    for_metrics<BleuMetric, ChrfMetric, ExactMatchMetric, WordErrorMetric, CharacterErrorMetric,
                Rouge1Metric, Rouge2Metric, RougeLMetric>(v, [&] {
      v("undo-bpe", undo_bpe,
        {.help = "join subwords marked with @@ in hypotheses and references first"});
    });
  }
  // Throws OptionError for a metric that takes one reference.
  void check(size_t references) const;
  // For options::check_scopes() of a struct with these.
  std::vector<options::Selected> selected() const {
    return {{"metrics", {names.begin(), names.end()}}};
  }
  TextMetricOptions params() const;

 private:
  // Visits options that apply only to these metrics.
  template <class... Metrics, class V, class F>
  static void for_metrics(V& v, F&& visit) {
    options::belongs_to<Metrics...>(v, "metrics", nullptr, visit);
  }
};

// Texts, and what messages call them: the path of their file.
struct NamedTexts {
  std::string name;
  std::vector<std::string> texts;

  // Joins subwords marked with @@.
  void undo_bpe();
};

struct TextsToScore {
  NamedTexts hypotheses;
  std::vector<std::string> reference_names = {};
  std::vector<std::vector<std::string>> references = {};  // [reference][text]

  void add_reference(NamedTexts reference);
  // Throws FormatError where there is no text, or not as many of each.
  void check() const;
};

// Of texts that check() accepts.
TextScore score_of(std::string_view metric, const TextsToScore& texts,
                   const MetricOptions& options);
Statistics statistics_of(std::string_view metric, const TextsToScore& texts,
                         const MetricOptions& options);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_TEXT_METRIC_OPTIONS_H_
