// weft bench decode: measures the speed, memory and time distribution of translation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/weft/answer.h"
#include "apps/weft/bench/bench.h"
#include "apps/weft/command.h"
#include "apps/weft/translation.h"
#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/log.h"
#include "weft/core/parallel.h"
#include "weft/core/process_memory.h"
#include "weft/core/profile.h"
#include "weft/core/timer.h"
#include "weft/options/json.h"

namespace weft::app {
namespace {

using SourceLines = std::vector<Line>;

struct BenchDecodeOptions {
  TranslationOptions translation;
  int64_t repeats = 3;
  std::string json;
  bool profile = false;

  template <class V>
  void fields(V& v) {
    translation.fields(v);
    v("repeats", repeats, {.help = "number of times the text is translated", .min = 1, .max = 1e6});
    v("json", json, {.help = "also write the results to this file as JSON", .writes = true});
    v("profile", profile, {.help = "also print a profile by kernel"});
    translation.search.fields(v);
  }

  void validate() const { translation.search.validate(); }
  // Sentences decoded at a time.
  int64_t batch() const { return translation.search.value<int64_t>("mini-batch"); }
};

struct Results {
  Report text;                    // of one translation of the text
  std::vector<double> seconds;    // of each repeat, ascending
  std::vector<double> latencies;  // seconds of each batch, ascending
  Footprint footprint;
  Breakdown breakdown;

  double best() const { return seconds.front(); }
  // The latency percentile over batches.
  double latency(double percent) const {
    const auto rank = std::ceil(percent / 100 * static_cast<double>(latencies.size()));
    return latencies[static_cast<size_t>(std::max(rank, 1.0)) - 1];
  }
};

SourceLines read_all(const std::string& path) {
  SourceLines lines;
  LineSource source(path);
  for (Line line; source.next(line);) lines.push_back(line);
  if (lines.empty()) fail<FileError>("--input", "{} has no lines to translate", path);
  return lines;
}

// Translates all lines in batches of `batch`. Returns the seconds of each batch.
std::vector<double> translate_timed(const Translator& translator, const SourceLines& lines,
                                    int64_t batch, Report& report) {
  report = Report();
  std::vector<double> seconds;
  std::span<const Line> rest = lines;
  while (!rest.empty()) {
    const size_t count = std::min(rest.size(), static_cast<size_t>(batch));
    const Timer timer;
    translator.translate(rest.first(count), &report);
    seconds.push_back(timer.seconds());
    rest = rest.subspan(count);
  }
  return seconds;
}

Breakdown profile_all(const Translator& translator, const SourceLines& lines, int64_t together) {
  Report report;
  profile::start(false);
  translate_timed(translator, lines, together, report);
  profile::stop();
  return profiled_breakdown();
}

Results measure(const BenchDecodeOptions& options, const SourceLines& lines) {
  Results out;
  const Timer load_timer;
  const Translator translator = options.translation.load();
  out.footprint.load_seconds = load_timer.seconds();
  out.footprint.loaded_bytes = process_memory().resident_bytes;

  const int64_t batch = options.batch(), together = lines_together(options.translation.search);
  const auto first = std::min(lines.size(), static_cast<size_t>(batch));
  Report report;
  translator.translate(std::span(lines).first(first), &report);
  for (int64_t i = 0; i < options.repeats; ++i) {
    const Timer timer;
    translate_timed(translator, lines, together, out.text);
    out.seconds.push_back(timer.seconds());
  }
  out.latencies = translate_timed(translator, lines, batch, report);
  out.footprint.peak_bytes = process_memory().peak_bytes;
  out.breakdown = profile_all(translator, lines, together);
  std::ranges::sort(out.seconds);
  std::ranges::sort(out.latencies);
  return out;
}

std::string table(const Results& f, int64_t batch) {
  const auto lines = static_cast<double>(f.text.inputs);
  const auto tokens = static_cast<double>(f.text.output_tokens);
  std::string out =
      fmt::format("{:<24}{:>12}\n{:<24}{:>12}\n{:<24}{:>12}\n", "lines", f.text.inputs,
                  "source tokens", f.text.input_tokens, "output tokens", f.text.output_tokens);
  out += fmt::format("\n{:<24}{:>12}{:>12}\n", "", "best", "median");
  const auto pair = [&](std::string_view name, int digits, auto&& value) {
    out += fmt::format("{:<24}{:>12.{}f}{:>12.{}f}\n", name, value(f.best()), digits,
                       value(median(f.seconds)), digits);
  };
  pair("output tokens/s", 1, [&](double seconds) { return tokens / seconds; });
  pair("lines/s", 1, [&](double seconds) { return lines / seconds; });
  pair("ms per line", 3, [&](double seconds) { return 1e3 * seconds / lines; });

  out += fmt::format("\n{:<24}{:>12}{:>12}{:>12}\n", "latency, ms", "50 %", "90 %", "99 %");
  out += fmt::format("{:<24}{:>12.2f}{:>12.2f}{:>12.2f}\n",
                     batch == 1 ? "1 line" : fmt::format("{} lines", batch), 1e3 * f.latency(50),
                     1e3 * f.latency(90), 1e3 * f.latency(99));
  return out + f.footprint.table() + f.breakdown.table();
}

std::string as_json(const Results& f, const BenchDecodeOptions& options) {
  const auto lines = static_cast<double>(f.text.inputs);
  const auto tokens = static_cast<double>(f.text.output_tokens);
  const auto pair = [&](auto&& value) {
    return Json{{"best", value(f.best())}, {"median", value(median(f.seconds))}};
  };
  Json out = {
      {"model", fmt::format("{}", fmt::join(options.translation.models.paths, ","))},
      {"precision", options.translation.models.loading.value<std::string>("precision")},
      {"input", options.translation.input},
      {"threads", threads()},
      {"options", Json::parse(options::options_to_json(options.translation.search))},
      {"lines", f.text.inputs},
      {"source_tokens", f.text.input_tokens},
      {"output_tokens", f.text.output_tokens},
      {"repeats", options.repeats},
      {"seconds", pair([](double seconds) { return seconds; })},
      {"tokens_per_s", pair([&](double seconds) { return tokens / seconds; })},
      {"lines_per_s", pair([&](double seconds) { return lines / seconds; })},
      {"ms_per_line", pair([&](double seconds) { return 1e3 * seconds / lines; })},
      {"latency_ms",
       {{"lines", options.batch()},
        {"batches", f.latencies.size()},
        {"p50", 1e3 * f.latency(50)},
        {"p90", 1e3 * f.latency(90)},
        {"p99", 1e3 * f.latency(99)}}},
  };
  f.footprint.add_to(out);
  out["share"] = f.breakdown.json();
  return out.dump(1) + "\n";
}

}  // namespace

int run_bench_decode(const Args& args) {
  const auto options = parse_command<BenchDecodeOptions>(
      {.name = "bench decode",
       .summary = "Measures translation: tokens per second (including end symbols), "
                  "latency, memory and time distribution"},
      args);
  if (!options) return 0;
  std::ios::sync_with_stdio(false);
  const SourceLines lines = read_all(options->translation.input);
  std::optional<AtomicFile> json;  // opened early to report errors early
  if (!options->json.empty()) json.emplace(options->json);
  const Results results = measure(*options, lines);
  if (results.text.problems() > 0) log::warn("{}", results.text.text());
  print(table(results, options->batch()));
  if (options->profile) print("\n" + profile::table());
  if (json) {
    json->write(as_json(results, *options));
    json->commit();
  }
  return 0;
}

}  // namespace weft::app
