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
       .choices = "bleu|chrf|aer"});
    v("tokenize", tokenize,
      {.help = "how BLEU cuts lines into tokens: as WMT does, at white space (text already "
               "tokenised), into characters, or as is usual for Chinese",
       .choices = "13a|none|char|zh"});
    v("lowercase", lowercase, {.help = "ignore case"});
    v("chrf-word-order", chrf_word_order,
      {.help = "longest word n-gram of chrF; 2 makes it chrF++ (Popović 2017)",
       .min = 0,
       .max = 16});
    v("undo-bpe", undo_bpe, {.help = "join subwords marked with @@ on both sides first"});
    v("json", json, {.help = "print a JSON list"});
  }
  void validate() const;
};

// The metrics that read an option.
bool is_read(std::string_view option, std::string_view metric) {
  if (option == "tokenize") return metric == "bleu";
  if (option == "chrf-word-order") return metric == "chrf";
  if (option == "lowercase" || option == "undo-bpe") return metric != "aer";
  return true;
}

void EvaluateOptions::validate() const {
  formats::check_unread(
      *this,
      [&](std::string_view option) {
        return std::ranges::any_of(metrics, [&](const auto& m) { return is_read(option, m); });
      },
      fmt::format("with --metrics {}", fmt::join(metrics, " ")));
  if (references.size() != 1 && std::ranges::find(metrics, "aer") != metrics.end()) {
    fail<OptionError>("--references", "expected one file for aer, got {}", references.size());
  }
}

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

Result evaluate(const std::string& metric, const Lines& hypotheses,
                const std::vector<Lines>& references, const EvaluateOptions& options) {
  if (metric == "bleu") {
    const metrics::BleuOptions bleu{.tokenizer = metrics::tokenizer_of(options.tokenize),
                                    .lowercase = options.lowercase};
    const auto score = metrics::corpus_bleu(hypotheses, references, bleu);
    return {"BLEU", score.score, metrics::bleu_signature(bleu, references.size()), score.text()};
  }
  if (metric == "aer") {
    const std::string& reference = options.references.front();
    const auto score = metrics::alignment_error({shown(options.input), hypotheses},
                                                {shown(reference), references.front()});
    return {"AER", score.error_rate, "",
            fmt::format("AER = {:.4f} (precision {:.4f}, recall {:.4f})", score.error_rate,
                        score.precision, score.recall)};
  }
  const metrics::ChrfOptions chrf{.word_order = static_cast<int>(options.chrf_word_order),
                                  .lowercase = options.lowercase};
  const auto score = metrics::corpus_chrf(hypotheses, references, chrf);
  return {score.name(), score.score, metrics::chrf_signature(chrf, references.size()),
          score.text()};
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
  for (const std::string& metric : options->metrics) {
    results.push_back(evaluate(metric, hypotheses, references, *options));
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
