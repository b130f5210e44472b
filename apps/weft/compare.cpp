// weft compare: whether one system is better than another on the same examples.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/weft/command.h"
#include "apps/weft/input/named_texts.h"
#include "apps/weft/output/predictions.h"

namespace weft::app {
namespace {

constexpr double kSignificant = 0.05;

struct CompareOptions {
  std::vector<std::string> systems;
  std::vector<std::string> references;
  metrics::MetricOptions metrics;
  int64_t samples = 1000;
  int64_t seed = 12345;
  bool json = false;

  template <class V>
  void fields(V& v) {
    v("systems", systems,
      {.help = "files of systems; the others are compared with the first: predictions of "
               "--evaluate --predictions of any command or, with --references, lines of text",
       .required = true,
       .positional = true,
       .reads = true});
    v("references", references,
      {.help = "reference files with one line per line of the systems",
       .letter = 'r',
       .reads = true});
    metrics.fields(v);
    v("samples", samples, {.help = "samples of the bootstrap", .min = 1, .max = 1e6});
    v("seed", seed, {.help = "random seed of samples, sacreBLEU's SACREBLEU_SEED", .min = 0});
    v("json", json, {.help = "print the results as JSON"});
  }
  void validate() const {
    if (systems.size() < 2) {
      fail<OptionError>("--systems", "expected two files or more, got {}", systems.size());
    }
    options::check_files(*this);
    if (references.empty()) {
      const auto is_read = [](std::string_view name) {
        return name == "systems" || name == "samples" || name == "seed" || name == "json";
      };
      return options::check_unread(*this, is_read, "without --references");
    }
    options::check_scopes(*this, metrics.selected());
    metrics.check(references.size());
  }
  metrics::BootstrapOptions bootstrap() const {
    return {.samples = samples, .seed = static_cast<uint64_t>(seed)};
  }
};

// Of each system, its metrics.
using Systems = std::vector<std::vector<SystemMetric>>;

Systems read_texts(const CompareOptions& options) {
  metrics::TextsToScore texts = read_references(options.references, options.metrics.undo_bpe);
  Systems out;
  for (const std::string& path : options.systems) {
    texts.hypotheses = read_named_texts(path, options.metrics.undo_bpe);
    texts.check();
    std::vector<SystemMetric>& found = out.emplace_back();
    for (const std::string& name : options.metrics.names) {
      found.push_back({metrics::score_of(name, texts, options.metrics).name,
                       metrics::sampled(metrics::statistics_of(name, texts, options.metrics))});
    }
  }
  return out;
}

// Leaves the metrics that all systems have: predictions of another program may lack probabilities.
void keep_common_metrics(Systems& systems) {
  const auto is_common = [&](const SystemMetric& metric) {
    return std::ranges::all_of(systems, [&](const std::vector<SystemMetric>& system) {
      return std::ranges::find(system, metric.name, &SystemMetric::name) != system.end();
    });
  };
  std::vector<std::string> names;
  for (const SystemMetric& metric : systems.front()) {
    if (is_common(metric)) names.push_back(metric.name);
  }
  for (std::vector<SystemMetric>& system : systems) {
    std::erase_if(system, [&](const SystemMetric& metric) {
      return std::ranges::find(names, metric.name) == names.end();
    });
  }
}

Systems read_predictions(const CompareOptions& options) {
  const Predictions first(options.systems.front());
  Systems out = {first.metrics()};
  for (size_t i = 1; i < options.systems.size(); ++i) {
    const Predictions other(options.systems[i]);
    first.check_same_examples(other);
    out.push_back(other.metrics());
  }
  keep_common_metrics(out);
  return out;
}

// One system by one metric; of the others also how it compares with the first.
struct Result {
  double score = 0;
  metrics::Bootstrap bootstrap;
  std::optional<double> p = {}, sacrebleu_p = {};
};

struct Comparison {
  std::string metric;
  std::vector<Result> systems;
};

// sacreBLEU tests its own metrics.
bool is_of_sacrebleu(std::string_view metric) {
  return metric == "BLEU" || metric.starts_with("chrF");
}

Comparison compare(const Systems& systems, size_t metric, const CompareOptions& options) {
  Comparison out{systems.front()[metric].name, {}};
  for (const std::vector<SystemMetric>& system : systems) {
    const SystemMetric& measured = system.at(metric);
    Result result{.score = measured.score(),
                  .bootstrap = metrics::bootstrap(measured.metric, options.bootstrap())};
    if (!out.systems.empty()) {
      const Result& first = out.systems.front();
      const metrics::ScorePair scores{first.score, result.score};
      result.p = metrics::p_value(first.bootstrap, result.bootstrap, scores);
      if (is_of_sacrebleu(out.metric)) {
        result.sacrebleu_p = metrics::sacrebleu_p_value(first.bootstrap, result.bootstrap, scores);
      }
    }
    out.systems.push_back(std::move(result));
  }
  return out;
}

std::string table_of(const Comparison& found, const CompareOptions& options) {
  std::string out = found.metric + "\n";
  for (size_t i = 0; i < found.systems.size(); ++i) {
    const Result& system = found.systems[i];
    out += fmt::format("  {:.4f}  (mean {:.4f} ± {:.4f}, 95 %)", system.score,
                       system.bootstrap.mean, system.bootstrap.interval);
    if (system.p) {
      out += fmt::format("  {:+.4f}  p {:.4f}{}", system.score - found.systems.front().score,
                         *system.p, *system.p < kSignificant ? " *" : "");
    }
    if (system.sacrebleu_p) out += fmt::format(" (sacreBLEU's {:.4f})", *system.sacrebleu_p);
    out += fmt::format("  {}\n", options.systems[i]);
  }
  return out;
}

std::string as_json(const std::vector<Comparison>& all, const CompareOptions& options) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Comparison& found : all) {
    Json systems = Json::array();
    for (size_t i = 0; i < found.systems.size(); ++i) {
      const Result& system = found.systems[i];
      Json json{{"system", options.systems[i]},
                {"score", system.score},
                {"mean", system.bootstrap.mean},
                {"interval", system.bootstrap.interval}};
      if (system.p) json["p"] = *system.p;
      if (system.sacrebleu_p) json["p_sacrebleu"] = *system.sacrebleu_p;
      systems.push_back(std::move(json));
    }
    list.push_back({{"metric", found.metric}, {"systems", std::move(systems)}});
  }
  return list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int run_compare(const CommandInfo& info, const Args& args) {
  CommandInfo with_usage = info;
  with_usage.usage = "weft compare [-r references.txt] first second ...";
  const auto options = parse_command<CompareOptions>(with_usage, args);
  if (!options) return 0;
  const Systems systems =
      options->references.empty() ? read_predictions(*options) : read_texts(*options);
  std::vector<Comparison> all;
  for (size_t metric = 0; metric < systems.front().size(); ++metric) {
    all.push_back(compare(systems, metric, *options));
  }
  if (options->json) {
    print(as_json(all, *options));
    return 0;
  }
  for (const Comparison& found : all) print(table_of(found, *options));
  return 0;
}

}  // namespace weft::app
