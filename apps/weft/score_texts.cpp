// Log-probabilities of lines and continuations, and perplexities of documents, by language models.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/score_options.h"
#include "weft/data/text/text_file.h"

namespace weft::app {
namespace {

double summary_of(const TextScore& sum, std::string_view kind) {
  if (kind == "perplexity") return sum.perplexity();
  if (kind == "bits-per-byte") return sum.bits_per_byte();
  return -sum.log_probability / static_cast<double>(sum.tokens);
}

std::string printed_score(const TextScore& score, std::string_view normalize) {
  double divisor = 1;
  if (normalize == "tokens") divisor = static_cast<double>(score.tokens);
  if (normalize == "bytes") divisor = static_cast<double>(score.bytes);
  return fmt::format("{:.6f}", score.log_probability / divisor);
}

// Prints the number for all, unless nothing was scored.
void print_summary(const TextScore& sum, std::string_view kind) {
  if (!kind.empty() && sum.tokens > 0) print(fmt::format("{:.6f}\n", summary_of(sum, kind)));
}

// The option that scorers of lines and of documents share.
Option mini_batch_words(const ScoreOptions& options) {
  constexpr std::string_view kName = "mini-batch-words";
  return {std::string(kName), options.of_pairs.value<int64_t>(kName)};
}

int score_lines(const Model& model, const ScoreOptions& options) {
  constexpr int64_t kLines = 256;
  const Scorer scorer(model, {{"tsv", options.tsv}, mini_batch_words(options)});
  LineSource source(options.text.front());
  Report report;
  const Answering answering{.together = kLines, .done = "scored", .is_strict = true};
  TextScore sum;
  for (std::vector<Line> lines; next_window(source, answering.together, lines);) {
    for (const ScoredText& line : scorer.score(lines, &report)) {
      std::vector<std::string> scores;
      for (const TextScore& score : line.scores) {
        sum = sum + score;
        scores.push_back(printed_score(score, options.normalize));
      }
      if (options.summary.empty()) {
        print(fmt::format("{}\n", fmt::join(scores, "\t")));
      }
    }
    flush_output();
  }
  print_summary(sum, options.summary);
  return conclude(report, answering);
}

std::string printed_document(const std::string& path, const ScoredText& document) {
  if (document.fault) return path + "\t\t\t\t";
  const TextScore& score = document.scores.front();
  return fmt::format("{}\t{:.6f}\t{:.6f}\t{}\t{}", path, score.perplexity(), score.bits_per_byte(),
                     score.tokens, score.bytes);
}

int score_documents(const Model& model, const ScoreOptions& options) {
  Options given = options.of_documents.changed();
  given.push_back(mini_batch_words(options));
  const DocumentScorer scorer(model, given);
  Report report("document");
  const Answering answering{.done = "scored", .unit = "document", .is_strict = true};
  TextScore sum;
  for (const std::string& path : options.text) {
    const ScoredText document = scorer.score(data::read_document(path), &report);
    if (!document.fault) sum = sum + document.scores.front();
    if (options.summary.empty()) print(printed_document(path, document) + "\n");
    flush_output();
  }
  print_summary(sum, options.summary);
  return conclude(report, answering);
}

}  // namespace

int score_texts(const ScoreOptions& options) {
  options.check_of_language_model();
  const Model model = options.model.load();
  return options.documents ? score_documents(model, options) : score_lines(model, options);
}

}  // namespace weft::app
