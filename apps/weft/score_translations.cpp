// Log-probabilities or alignments of given translations.
#include <fmt/core.h>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/score_options.h"

namespace weft::app {
namespace {

// Prints what is asked for of one pair after the other. A pair without a score or an alignment is a
// fault, and its line is empty.
class ScorePrinter {
 public:
  explicit ScorePrinter(const ScoreOptions& options) : options_(options) {}

  void add(const ScoredTranslation& pair) {
    ++pairs_;
    if (pair.fault) {
      if (!options_.summary.empty()) {
        fail<NumericError>("--summary", "pair {}: {}", pairs_, pair.fault->reason);
      }
      return print("\n");
    }
    if (options_.aligns()) return print(pair.alignment + "\n");
    sum_ = sum_ + pair.score;
    if (!options_.summary.empty()) return;
    const auto tokens = static_cast<double>(pair.score.tokens);
    const double divisor = options_.normalize.empty() ? 1 : tokens;
    print(fmt::format("{:.6f}\n", pair.score.log_probability / divisor));
  }
  void finish() const {
    if (options_.summary.empty()) return;
    const double cross_entropy = -sum_.log_probability / static_cast<double>(sum_.tokens);
    print(fmt::format("{:.6f}\n",
                      options_.summary == "perplexity" ? sum_.perplexity() : cross_entropy));
  }

 private:
  const ScoreOptions& options_;
  TextScore sum_;
  int64_t pairs_ = 0;
};

}  // namespace

int score_translations(const ScoreOptions& options) {
  options.check_of_translator();
  Options given = options.of_pairs.changed();
  given.push_back({"tsv", options.tsv});
  const TranslationScorer scorer(options.model.path, given);
  ScorePrinter printer(options);
  Report report("pair");
  const Answering answering{.done = "scored", .unit = "pair"};
  const auto print_pair = [&](const ScoredTranslation& pair) {
    printer.add(pair);
    flush_output();
  };
  const bool is_whole = scorer.score_files(options.text, print_pair, &report);
  printer.finish();
  const int status = conclude(report, answering);
  return options.strict && !is_whole ? 1 : status;
}

}  // namespace weft::app
