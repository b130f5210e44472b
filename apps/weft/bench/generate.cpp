// weft bench generate: measures how fast a language model reads prompts and continues them.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <vector>

#include "apps/weft/bench/bench.h"
#include "apps/weft/model_options.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/parallel.h"
#include "weft/core/process_memory.h"
#include "weft/core/profile.h"
#include "weft/core/random.h"
#include "weft/core/timer.h"
#include "weft/decode/engine.h"
#include "weft/decode/step_models.h"
#include "weft/model_file/any_adapter.h"
#include "weft/predict/generation/generation_options.h"

namespace weft::app {
namespace {

struct BenchGenerateOptions {
  std::string model;
  PrecisionOption precision;
  predict::CachePrecision cache;
  int64_t prompt_length = 512;
  int64_t max_length = 128;
  int64_t streams = 1;
  int64_t repeats = 3;
  std::string json;
  bool profile = false;

  template <class V>
  void fields(V& v) {
    v("model", model,
      {.help = "model file, folder of Hugging Face Transformers, or GGUF file",
       .letter = 'm',
       .required = true,
       .reads = true});
    precision.fields(v);
    cache.fields(v);
    v("prompt-length", prompt_length,
      {.help = "tokens of each prompt, drawn at random", .min = 1, .max = 1e6, .letter = 'p'});
    v("max-length", max_length,
      {.help = "tokens of each continuation; 1: measure prompts alone",
       .min = 1,
       .max = 1e6,
       .letter = 'n'});
    v("streams", streams,
      {.help = "prompts, each different, that are continued at the same time",
       .min = 1,
       .max = 1024});
    v("repeats", repeats, {.help = "number of measurements", .min = 1, .max = 1e6});
    v("json", json, {.help = "also write the results to this file as JSON", .writes = true});
    v("profile", profile, {.help = "also print a profile by kernel"});
  }
};

struct StreamFigures {
  double prompts = 0;        // tokens/s, until every stream has its first token
  double continuations = 0;  // after that
  int64_t cache_bytes = 0;
};

struct GenerateFigures {
  Footprint footprint;
  std::vector<double> prompts, continuations;  // tokens/s of each repeat, ascending
  int64_t cache_bytes = 0;
  Breakdown breakdown;
};

// A greedy continuation of full length, of a random prompt.
decode::Request random_request(const models::LanguageModelDims& dims,
                               const BenchGenerateOptions& options, int64_t stream) {
  decode::Request out;
  out.beam.size = 1;
  out.length_limit = options.max_length;
  out.streams = true;
  RandomStream draws(0, static_cast<uint64_t>(stream));
  for (int64_t i = 0; i < options.prompt_length; ++i) {
    out.prompt.push_back(static_cast<int32_t>(draws.below(static_cast<uint64_t>(dims.vocab))));
  }
  out.forbidden.assign(dims.end_ids.begin(), dims.end_ids.end());
  return out;
}

StreamFigures time_streams(const models::LanguageModel& model,
                           const BenchGenerateOptions& options) {
  decode::DecoderSteps steps = decode::decoder_steps(model, options.cache.type());
  decode::Engine engine(steps, {.slots = options.streams});
  const Timer timer;
  for (int64_t i = 0; i < options.streams; ++i) {
    engine.submit(random_request(model.dims, options, i));
  }
  std::vector<int64_t> lengths(static_cast<size_t>(options.streams));  // of continuations
  const auto total = [&] { return std::reduce(lengths.begin(), lengths.end()); };
  double first_tokens = 0;  // seconds
  int64_t tokens_then = 0;
  while (!engine.is_idle()) {
    for (const decode::RequestOutput& output : engine.step()) {
      if (output.error) std::rethrow_exception(output.error);
      lengths[static_cast<size_t>(output.id)] = std::ssize(output.stable_prefix);
    }
    if (first_tokens == 0 && std::ranges::find(lengths, 0) == lengths.end()) {
      first_tokens = timer.seconds();
      tokens_then = total();
    }
  }
  return {.prompts = static_cast<double>(options.streams * options.prompt_length) / first_tokens,
          .continuations =
              static_cast<double>(total() - tokens_then) / (timer.seconds() - first_tokens),
          .cache_bytes = steps.cache_bytes()};
}

GenerateFigures measure(const BenchGenerateOptions& options) {
  GenerateFigures out;
  const Timer load_timer;
  const model_file::LanguageModelSession session =
      model_file::load_any_packed<model_file::LanguageModelSession>(options.model,
                                                                    options.precision.weights());
  out.footprint.load_seconds = load_timer.seconds();
  out.footprint.loaded_bytes = process_memory().resident_bytes;
  const models::LanguageModel& model = session.model;
  if (options.prompt_length + options.max_length > model.options.capacity()) {
    fail<OptionError>("--prompt-length",
                      "{} and --max-length {} exceed the context of the model, {} tokens",
                      options.prompt_length, options.max_length, model.options.capacity());
  }
  for (int64_t i = 0; i < options.repeats; ++i) {
    const StreamFigures figures = time_streams(model, options);
    out.prompts.push_back(figures.prompts);
    out.continuations.push_back(figures.continuations);
    out.cache_bytes = figures.cache_bytes;
  }
  std::ranges::sort(out.prompts);
  std::ranges::sort(out.continuations);
  out.footprint.peak_bytes = process_memory().peak_bytes;
  profile::start(false);
  time_streams(model, options);
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
  if (options.max_length > 1) speed("continuations", f.continuations);
  out += f.footprint.table();
  out += fmt::format("{:<24}{:>12.1f}\n", "cache, MB", megabytes(f.cache_bytes));
  return out + f.breakdown.table();
}

Json as_json(const GenerateFigures& f, const BenchGenerateOptions& options) {
  const auto pair = [](const std::vector<double>& sorted) {
    return Json{{"best", sorted.back()}, {"median", median(sorted)}};
  };
  Json out = {{"model", options.model},
              {"precision", options.precision.precision},
              {"cache_precision", options.cache.name},
              {"threads", threads()},
              {"prompt_length", options.prompt_length},
              {"max_length", options.max_length},
              {"streams", options.streams},
              {"repeats", options.repeats},
              {"prompt_tokens_per_s", pair(f.prompts)}};
  if (options.max_length > 1) out["tokens_per_s"] = pair(f.continuations);
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
