// Log-probabilities of lines and continuations, and perplexities of documents, by language models.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/score_options.h"
#include "weft/model_file/any_adapter.h"
#include "weft/predict/scoring/document_scorer.h"
#include "weft/predict/scoring/line_scorer.h"

namespace weft::app {
namespace {

double summary_of(const TextScore& sum, std::string_view kind) {
  if (kind == "perplexity") return sum.perplexity();
  if (kind == "bits-per-byte") return predict::bits_per_byte(sum);
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

int score_lines(const model_file::LanguageModelSession& session, const ScoreOptions& options) {
  constexpr int64_t kLines = 256;
  const predict::LineScorer scorer(
      session, {.continuations = options.tsv, .rows = options.mini_batch_words});
  LineSource source(options.text.front());
  Report report;
  const Answering answering{.together = kLines, .done = "scored", .is_strict = true};
  TextScore sum;
  for (std::vector<predict::Line> lines; next_window(source, answering.together, lines);) {
    for (const ScoredText& line : predict::predict(scorer, lines, report)) {
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

std::string printed_document(const std::string& path, const predict::DocumentScore& document) {
  if (document.fault) return path + "\t\t\t\t";
  const TextScore& score = document.score;
  return fmt::format("{}\t{:.6f}\t{:.6f}\t{}\t{}", path, score.perplexity(),
                     predict::bits_per_byte(score), score.tokens, score.bytes);
}

int score_documents(const model_file::LanguageModelSession& session, const ScoreOptions& options) {
  const predict::DocumentScorer scorer(
      session,
      {.context = options.context, .stride = options.stride, .rows = options.mini_batch_words});
  Report report("document");
  const Answering answering{.done = "scored", .unit = "document", .is_strict = true};
  TextScore sum;
  for (const std::string& path : options.text) {
    const std::vector<predict::Line> text = {{.text = data::read_document(path)}};
    const predict::DocumentScore document = predict::predict(scorer, text, report).front();
    if (!document.fault) sum = sum + document.score;
    if (options.summary.empty()) print(printed_document(path, document) + "\n");
    flush_output();
  }
  print_summary(sum, options.summary);
  return conclude(report, answering);
}

}  // namespace

int score_texts(const ScoreOptions& options) {
  options.check_of_language_model();
  const model_file::LanguageModelSession session = options.model.load();
  return options.documents ? score_documents(session, options) : score_lines(session, options);
}

}  // namespace weft::app
