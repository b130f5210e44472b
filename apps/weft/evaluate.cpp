// weft evaluate: how close text comes to its references, in BLEU and chrF, or word alignments to
// theirs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/weft/command.h"
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

// What is compared.
struct Texts {
  const Lines& hypotheses;
  const std::vector<Lines>& references;
  const EvaluateOptions& options;
};

// A metric is metric(texts).
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
      {.help =
           "files of references, as many lines each as there are hypotheses; - is standard input",
       .letter = 'r',
       .required = true,
       .reads = true});
    v("input", input, {.help = "file of hypotheses, or - or stdin", .letter = 'i', .reads = true});
    v("metrics", metrics,
      {.help = "BLEU (Papineni et al. 2002), chrF (Popović 2015); of word alignments, 0-0 1-2, the "
               "error rate (Och and Ney 2003), with 1?2 for a possible link of a reference",
       .choices = Metric::choices()});
    for_metrics<BleuMetric>(v, [&] {
      v("tokenize", tokenize,
        {.help = "how BLEU cuts lines into tokens: as WMT does, at white space (text already "
                 "tokenised), into characters, or as is usual for Chinese",
         .choices = "13a|none|char|zh"});
    });
    for_metrics<BleuMetric, ChrfMetric>(
        v, [&] { v("lowercase", lowercase, {.help = "ignore case"}); });
    for_metrics<ChrfMetric>(v, [&] {
      v("chrf-word-order", chrf_word_order,
        {.help = "longest word n-gram of chrF; 2 makes it chrF++ (Popović 2017)",
         .min = 0,
         .max = 16});
    });
    for_metrics<BleuMetric, ChrfMetric>(v, [&] {
      v("undo-bpe", undo_bpe, {.help = "join subwords marked with @@ on both sides first"});
    });
    v("json", json, {.help = "print a JSON list"});
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
  // The options that only these metrics read.
  template <class... Metrics, class V, class F>
  static void for_metrics(V& v, F&& visit) {
    belongs_to<Metrics...>(v, "metrics", nullptr, visit);
  }
};

// One metric's result, under the names that sacreBLEU's JSON uses.
struct Result {
  std::string name;
  double score;
  std::string signature;
  std::string text;  // "BLEU = 35.12 ..."
};

// A file's name in messages.
std::string shown(const std::string& path) {
  return path == data::kStandardInput ? std::string(data::kStandardInputName) : path;
}

Lines read(const std::string& path, bool undo_bpe) {
  Lines lines = data::read_lines(path);
  if (lines.empty()) fail<FormatError>(shown(path), "no text; expected at least one line");
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
  const auto score =
      metrics::alignment_error({shown(texts.options.input), texts.hypotheses},
                               {shown(texts.options.references.front()), texts.references.front()});
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
    fail<FormatError>(shown(options->references[r]), "{} lines; expected {}, as many as in {}",
                      references[r].size(), hypotheses.size(), shown(options->input));
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
    // sacreBLEU's line: the signature stands behind the name.
    const std::string signature = r.signature.empty() ? "" : "|" + r.signature;
    print(fmt::format("{}{}{}\n", r.name, signature, r.text.substr(r.name.size())));
  }
  return 0;
}

}  // namespace weft::app
