// Log-probabilities or alignments of given translations.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/weft/command.h"
#include "apps/weft/score_options.h"
#include "weft/core/log.h"
#include "weft/decode/options.h"
#include "weft/model_file/translator.h"
#include "weft/nn/attention/guide.h"
#include "weft/predict/line.h"
#include "weft/predict/not_finite.h"
#include "weft/predict/translation/score.h"
#include "weft/report.h"

namespace weft::app {
namespace {

// Prints what is asked for of one part of the text after the other.
class ScorePrinter {
 public:
  ScorePrinter(const model_file::TranslatorSession& session, const ScoreOptions& options)
      : session_(session), options_(options) {
    if (options.alignment.is_on()) {
      heads_ = decode::printed_heads(options.alignment.heads, session.model.options);
    }
  }

  void add(const data::Corpus& corpus) {
    options_.alignment.is_on() ? print_alignments(corpus) : add_scores(corpus);
    flush_output();
  }
  void finish() const {
    if (options_.summary.empty()) return;
    const double cross_entropy = -log_probability_ / tokens_;
    print(fmt::format("{:.6f}\n",
                      options_.summary == "perplexity" ? std::exp(cross_entropy) : cross_entropy));
  }

  // Pairs without a score or an alignment are faults, and their lines are empty.
  const Report& report() const { return report_; }

 private:
  void add_scores(const data::Corpus& corpus) {
    for (const predict::SentenceScore& s :
         predict::score(session_.model, corpus, options_.mini_batch_words)) {
      const int64_t number = report_.inputs++;
      if (std::isnan(s.log_probability)) {
        if (!options_.summary.empty()) {
          fail<NumericError>("--summary", "pair {}: {}", report_.inputs, predict::kNotFiniteText);
        }
        report_.add(predict::not_finite_fault(), number);
        print("\n");
        continue;
      }
      const auto tokens = static_cast<double>(s.tokens);
      log_probability_ += s.log_probability;
      tokens_ += tokens;
      if (!options_.summary.empty()) continue;
      print(fmt::format("{:.6f}\n", s.log_probability / (options_.normalize.empty() ? 1 : tokens)));
    }
  }
  void print_alignments(const data::Corpus& corpus) {
    for (const decode::Alignment& a :
         decode::align_corpus(session_.model, corpus, heads_, options_.mini_batch_words)) {
      const int64_t number = report_.inputs++;
      if (!a.is_finite) {
        report_.add(predict::not_finite_fault(), number);
        print("\n");
        continue;
      }
      const std::span<const decode::Alignment> line(&a, 1);
      print(decode::aligned_text(options_.alignment, line) + "\n");
    }
  }

  const model_file::TranslatorSession& session_;
  const ScoreOptions& options_;
  std::vector<decode::AttentionHead> heads_;
  double log_probability_ = 0, tokens_ = 0;  // of all lines
  Report report_{"pair"};
};

}  // namespace

int score_translations(const ScoreOptions& options) {
  options.check_of_translator();
  const model_file::TranslatorSession session =
      model_file::load<model_file::TranslatorSession>(options.model.path);
  predict::check_scores_translations(session.model.options, options.model.path);
  const auto [source, target] = session.model.options.longest_pair();
  const data::CorpusText text{
      {{.files = options.text,
        .tsv = options.tsv,
        .standard_input = data::StandardInput::kAsItComes}},
      session.tokenisers,
      {.max_lengths = {std::min(source, options.max_length), std::min(target, options.max_length)},
       .crop = true,
       .keep_all = true}};
  ScorePrinter printer(session, options);
  const data::CorpusParts parts = data::read_corpus(text, [&](data::ChunkWords chunk) {
    printer.add({text, std::move(chunk)});
  });
  printer.finish();
  const data::CorpusReport& report = parts.reports.front();
  const bool is_clean =
      report.cropped + report.over_long + report.bad_utf8 + report.few_columns == 0;
  (is_clean && report.empty == 0) ? log::info("{}", report.text()) : log::warn("{}", report.text());
  const Report& scored = printer.report();
  if (scored.has_news()) log::warn("{}", scored.text());
  return scored.problems() > 0 || (options.strict && !is_clean) ? 1 : 0;
}

}  // namespace weft::app
