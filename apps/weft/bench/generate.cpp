// weft bench generate: measures how fast a language model reads prompts and continues them.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "apps/weft/bench/bench.h"
#include "apps/weft/language_model_options.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/parallel.h"
#include "weft/core/process_memory.h"
#include "weft/core/profile.h"
#include "weft/core/timer.h"
#include "weft/speed.h"

namespace weft::app {
namespace {

struct BenchGenerateOptions {
  LanguageModelOptions model;
  LibraryOptions speed{measure_generation_schema()};
  int64_t repeats = 3;
  std::string json;
  bool profile = false;

  template <class V>
  void fields(V& v) {
    model.fields(v, "model file, folder of Hugging Face Transformers, or GGUF file");
    speed.fields(v);
    v("repeats", repeats, {.help = "number of measurements", .min = 1, .max = 1e6});
    v("json", json, {.help = "also write the results to this file as JSON", .writes = true});
    v("profile", profile, {.help = "also print a profile by kernel"});
  }
  void validate() const { speed.validate(); }
  bool has_continuations() const { return speed.value<int64_t>("max-length") > 1; }
};

struct GenerateFigures {
  Footprint footprint;
  std::vector<double> prompts, continuations;  // tokens/s of each repeat, ascending
  int64_t cache_bytes = 0;
  Breakdown breakdown;
};

GenerateFigures measure(const BenchGenerateOptions& options) {
  GenerateFigures out;
  const Timer load_timer;
  const Model model = options.model.load();
  out.footprint.load_seconds = load_timer.seconds();
  out.footprint.loaded_bytes = process_memory().resident_bytes;
  for (int64_t i = 0; i < options.repeats; ++i) {
    const GenerationSpeed figures = measure_generation(model, options.speed.changed());
    out.prompts.push_back(figures.prompts);
    out.continuations.push_back(figures.continuations);
    out.cache_bytes = figures.cache_bytes;
  }
  std::ranges::sort(out.prompts);
  std::ranges::sort(out.continuations);
  out.footprint.peak_bytes = process_memory().peak_bytes;
  profile::start(false);
  measure_generation(model, options.speed.changed());
  profile::stop();
  out.breakdown = profiled_breakdown();
  return out;
}

std::string table(const GenerateFigures& f, const BenchGenerateOptions& options) {
  std::string out = fmt::format("{:<24}{:>12}{:>12}\n", "tokens/s", "best", "median");
  const auto speed = [&](std::string_view name, const std::vector<double>& sorted) {
    out += fmt::format("{:<24}{:>12.1f}{:>12.1f}\n", name, sorted.back(), median(sorted));
  };
  speed("prompts", f.prompts);
  if (options.has_continuations()) speed("continuations", f.continuations);
  out += f.footprint.table();
  out += fmt::format("{:<24}{:>12.1f}\n", "cache, MB", megabytes(f.cache_bytes));
  return out + f.breakdown.table();
}

Json as_json(const GenerateFigures& f, const BenchGenerateOptions& options) {
  const auto pair = [](const std::vector<double>& sorted) {
    return Json{{"best", sorted.back()}, {"median", median(sorted)}};
  };
  const LibraryOptions& speed = options.speed;
  Json out = {{"model", options.model.path},
              {"precision", options.model.loading.value<std::string>("precision")},
              {"cache_precision", speed.value<std::string>("cache-precision")},
              {"threads", threads()},
              {"prompt_length", speed.value<int64_t>("prompt-length")},
              {"max_length", speed.value<int64_t>("max-length")},
              {"streams", speed.value<int64_t>("streams")},
              {"repeats", options.repeats},
              {"prompt_tokens_per_s", pair(f.prompts)}};
  if (options.has_continuations()) out["tokens_per_s"] = pair(f.continuations);
  f.footprint.add_to(out);
  out["memory_mb"]["cache"] = megabytes(f.cache_bytes);
  out["share"] = f.breakdown.json();
  return out;
}

}  // namespace

int run_bench_generate(const Args& args) {
  const auto options = parse_command<BenchGenerateOptions>(
      {.name = "bench generate",
       .summary = "Measures a language model on random prompts: tokens per second of prompts and "
                  "of greedy continuations, memory and time distribution"},
      args);
  if (!options) return 0;
  std::optional<AtomicFile> json;  // opened early to report errors early
  if (!options->json.empty()) json.emplace(options->json);
  const GenerateFigures figures = measure(*options);
  print(table(figures, *options));
  if (options->profile) print("\n" + profile::table());
  if (json) {
    json->write(as_json(figures, *options).dump(1) + "\n");
    json->commit();
  }
  return 0;
}

}  // namespace weft::app
