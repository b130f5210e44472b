// weft evaluate: scores translations by BLEU and chrF, or word alignments by their error rate.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/weft/command.h"
#include "weft/core/counted.h"
#include "weft/core/error.h"
#include "weft/data/standard_input.h"
#include "weft/data/text_file.h"
#include "weft/data/tokeniser.h"
#include "weft/metrics/alignment_error.h"
#include "weft/metrics/bleu.h"
#include "weft/metrics/chrf.h"

namespace weft::app {
namespace {

using Lines = std::vector<std::string>;
struct EvaluateOptions;
struct Result;

// The input of a metric.
struct Texts {
  const Lines& hypotheses;
  const std::vector<Lines>& references;
  const EvaluateOptions& options;
};

// Metrics are called as metric(texts).
struct BleuMetric {
  static constexpr std::string_view kName = "bleu";
  Result operator()(const Texts& texts) const;
};
struct ChrfMetric {
  static constexpr std::string_view kName = "chrf";
  Result operator()(const Texts& texts) const;
};
struct AerMetric {
  static constexpr std::string_view kName = "aer";
  Result operator()(const Texts& texts) const;
};
using Metric = OneOf<BleuMetric, ChrfMetric, AerMetric>;

struct EvaluateOptions {
  std::vector<std::string> references;
  std::string input = "stdin";
  std::vector<std::string> metrics = {"bleu", "chrf"};
  std::string tokenize = "13a";
  bool lowercase = false;
  int64_t chrf_word_order = 0;
  bool undo_bpe = false;
  bool json = false;

  template <class V>
  void fields(V& v) {
    v("references", references,
      {.help = "reference files with one line per hypothesis; - is standard input",
       .letter = 'r',
       .required = true,
       .reads = true});
    v("input", input, {.help = "file of hypotheses, or - or stdin", .letter = 'i', .reads = true});
    v("metrics", metrics,
      {.help =
           "BLEU (Papineni et al. 2002), chrF (Popović 2015), or the error rate of word alignments "
           "such as 0-0 1-2 (Och and Ney 2003), with 1?2 for a possible link of a reference",
       .choices = Metric::choices()});
    for_metrics<BleuMetric>(v, [&] {
      v("tokenize", tokenize,
        {.help = "tokeniser of BLEU: WMT's 13a, none (for tokenised text), characters, or Chinese",
         .choices = "13a|none|char|zh"});
    });
    for_metrics<BleuMetric, ChrfMetric>(
        v, [&] { v("lowercase", lowercase, {.help = "ignore case"}); });
    for_metrics<ChrfMetric>(v, [&] {
      v("chrf-word-order", chrf_word_order,
        {.help = "maximum word n-gram order of chrF; 2: chrF++ (Popović 2017)",
         .min = 0,
         .max = 16});
    });
    for_metrics<BleuMetric, ChrfMetric>(v, [&] {
      v("undo-bpe", undo_bpe,
        {.help = "join subwords marked with @@ in hypotheses and references first"});
    });
    v("json", json, {.help = "print the results as a JSON list"});
  }
  void validate() const {
    formats::check_scopes(
        *this, std::vector{formats::Selected{"metrics", {metrics.begin(), metrics.end()}}});
    const bool has_aer = std::ranges::find(metrics, AerMetric::kName) != metrics.end();
    if (has_aer && references.size() != 1) {
      fail<OptionError>("--references", "expected one file for aer, got {}", references.size());
    }
  }

 private:
  // Visits options that apply only to these metrics.
  template <class... Metrics, class V, class F>
  static void for_metrics(V& v, F&& visit) {
    belongs_to<Metrics...>(v, "metrics", nullptr, visit);
  }
};

// The result of a metric, with the fields of sacreBLEU's JSON.
struct Result {
  std::string name;
  double score;
  std::string signature;
  std::string text;  // "BLEU = 35.12 ..."
};

// The name of a file in messages.
std::string display_name(const std::string& path) {
  return path == data::kStandardInput ? std::string(data::kStandardInputName) : path;
}

Lines read(const std::string& path, bool undo_bpe) {
  Lines lines = data::read_lines(path);
  if (lines.empty()) fail<FormatError>(display_name(path), "no text; expected at least one line");
  if (undo_bpe) {
    for (std::string& line : lines) line = data::undo_bpe(line);
  }
  return lines;
}

Result BleuMetric::operator()(const Texts& texts) const {
  const metrics::BleuOptions bleu{.tokenizer = metrics::tokenizer_of(texts.options.tokenize),
                                  .lowercase = texts.options.lowercase};
  const auto score = metrics::corpus_bleu(texts.hypotheses, texts.references, bleu);
  return {"BLEU", score.score, metrics::bleu_signature(bleu, texts.references.size()),
          score.text()};
}

Result ChrfMetric::operator()(const Texts& texts) const {
  const metrics::ChrfOptions chrf{.word_order = static_cast<int>(texts.options.chrf_word_order),
                                  .lowercase = texts.options.lowercase};
  const auto score = metrics::corpus_chrf(texts.hypotheses, texts.references, chrf);
  return {score.name(), score.score, metrics::chrf_signature(chrf, texts.references.size()),
          score.text()};
}

Result AerMetric::operator()(const Texts& texts) const {
  const auto score = metrics::alignment_error(
      {display_name(texts.options.input), texts.hypotheses},
      {display_name(texts.options.references.front()), texts.references.front()});
  return {"AER", score.error_rate, "",
          fmt::format("AER = {:.4f} (precision {:.4f}, recall {:.4f})", score.error_rate,
                      score.precision, score.recall)};
}

std::string as_json(const std::vector<Result>& results) {
  auto list = nlohmann::ordered_json::array();
  for (const Result& r : results) {
    list.push_back(
        {{"name", r.name}, {"score", r.score}, {"signature", r.signature}, {"text", r.text}});
  }
  return list.dump(1) + "\n";
}

}  // namespace

int run_evaluate(const CommandInfo& info, const Args& args) {
  CommandInfo with_usage = info;
  with_usage.usage = "weft evaluate -r references.txt < hypotheses.txt";
  auto options = parse_command<EvaluateOptions>(with_usage, args);
  if (!options) return 0;
  if (options->input == EvaluateOptions().input) options->input = data::kStandardInput;

  std::vector<Lines> references;
  for (const std::string& path : options->references) {
    references.push_back(read(path, options->undo_bpe));
  }
  const Lines hypotheses = read(options->input, options->undo_bpe);
  for (size_t r = 0; r < references.size(); ++r) {
    if (references[r].size() == hypotheses.size()) continue;
    fail<FormatError>(display_name(options->references[r]),
                      "{}; expected {}, the number of lines of {}",
                      counted(std::ssize(references[r]), "line"), hypotheses.size(),
                      display_name(options->input));
  }

  std::vector<Result> results;
  for (const std::string& name : options->metrics) {
    Metric metric;
    metric.select(name);
    const Texts texts{hypotheses, references, *options};
    results.push_back(metric.visit([&](const auto& m) { return m(texts); }));
  }
  if (options->json) {
    print(as_json(results));
    return 0;
  }
  for (const Result& r : results) {
    // sacreBLEU's format: the signature follows the name.
    const std::string signature = r.signature.empty() ? "" : "|" + r.signature;
    print(fmt::format("{}{}{}\n", r.name, signature, r.text.substr(r.name.size())));
  }
  return 0;
}

}  // namespace weft::app
