// weft evaluate: scores texts against references, or word alignments by their error rate.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "apps/weft/command.h"
#include "apps/weft/input/lines.h"
#include "apps/weft/input/named_texts.h"

namespace weft::app {
namespace {

struct EvaluateOptions {
  std::vector<std::string> references;
  std::string input = "stdin";
  metrics::MetricOptions metrics;
  bool json = false;

  template <class V>
  void fields(V& v) {
    v("references", references,
      {.help = "reference files with one line per hypothesis; - is standard input",
       .letter = 'r',
       .required = true,
       .reads = true});
    v("input", input, {.help = "file of hypotheses, or - or stdin", .letter = 'i', .reads = true});
    metrics.fields(v);
    v("json", json, {.help = "print the results as a JSON list"});
  }
  void validate() const {
    options::check_scopes(*this, metrics.selected());
    metrics.check(references.size());
  }
};

std::string as_json(const std::vector<metrics::TextScore>& results) {
  auto list = nlohmann::ordered_json::array();
  for (const metrics::TextScore& r : results) {
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
  metrics::TextsToScore texts = read_references(options->references, options->metrics.undo_bpe);
  texts.hypotheses = read_named_texts(input_path(options->input), options->metrics.undo_bpe);
  texts.check();
  std::vector<metrics::TextScore> results;
  for (const std::string& name : options->metrics.names) {
    results.push_back(metrics::score_of(name, texts, options->metrics));
  }
  if (options->json) {
    print(as_json(results));
    return 0;
  }
  for (const metrics::TextScore& r : results) {
    // sacreBLEU's format: the signature follows the name.
    const std::string signature = r.signature.empty() ? "" : "|" + r.signature;
    print(fmt::format("{}{}{}\n", r.name, signature, r.text.substr(r.name.size())));
  }
  return 0;
}

}  // namespace weft::app
