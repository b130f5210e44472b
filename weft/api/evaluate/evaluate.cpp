#include "weft/evaluate.h"

#include <fmt/format.h>

#include <utility>

#include "weft/api/read_options.h"
#include "weft/core/error.h"
#include "weft/metrics/text/metric_options.h"

namespace weft {
namespace {

struct EvaluateOptions {
  metrics::MetricOptions metrics;

  template <class V>
  void fields(V& v) {
    metrics.fields(v);
  }
  void validate() const { options::check_scopes(*this, metrics.selected()); }
};

}  // namespace

const OptionSchema& text_metric_schema() { return api::schema_of<EvaluateOptions>(); }

std::vector<TextMetric> evaluate(std::span<const std::string> hypotheses,
                                 std::span<const std::vector<std::string>> references,
                                 const Options& options) {
  const auto given = api::read_options<EvaluateOptions>(options);
  if (references.empty())
    fail<OptionError>("references", "none; expected at least one list of texts");
  given.metrics.check(references.size());
  const auto named = [&](std::string name, std::span<const std::string> lines) {
    metrics::NamedTexts out{std::move(name), {lines.begin(), lines.end()}};
    if (given.metrics.undo_bpe) out.undo_bpe();
    return out;
  };
  metrics::TextsToScore texts{.hypotheses = named("hypotheses", hypotheses)};
  for (size_t r = 0; r < references.size(); ++r) {
    texts.add_reference(named(fmt::format("references[{}]", r), references[r]));
  }
  texts.check();
  std::vector<TextMetric> out;
  for (const std::string& name : given.metrics.names) {
    metrics::TextScore found = metrics::score_of(name, texts, given.metrics);
    out.push_back({.name = std::move(found.name),
                   .score = found.score,
                   .signature = std::move(found.signature),
                   .text = std::move(found.text)});
  }
  return out;
}

}  // namespace weft
