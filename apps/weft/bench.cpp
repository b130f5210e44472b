// weft bench decode: how fast a model translates a text, what it takes, and where the time goes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/weft/command.h"
#include "apps/weft/translation.h"
#include "weft/core/atomic_file.h"
#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/core/parallel.h"
#include "weft/core/process_memory.h"
#include "weft/core/profile.h"
#include "weft/core/timer.h"
#include "weft/formats/options_json.h"

namespace weft::app {
namespace {

using Lines = std::vector<decode::SourceLine>;

struct BenchDecodeOptions {
  TranslationOptions translation;
  int64_t repeats = 3;
  std::string json;
  bool profile = false;

  template <class V>
  void fields(V& v) {
    translation.fields(v);
    v("repeats", repeats, {.help = "times that the text is translated", .min = 1, .max = 1e6});
    v("json", json, {.help = "also write the figures to this file, as JSON", .writes = true});
    v("profile", profile, {.help = "also print a table of where the time went, by kernel"});
    translation.decode.fields(v);
  }

  void validate() const { translation.decode.validate(); }
};

struct Shares {
  double products = 0, attention = 0, search = 0, rest = 0;  // of 1
};

struct Figures {
  decode::TranslationReport text;  // of the text once
  double load_seconds = 0;
  std::vector<double> seconds;    // of each repeat, rising
  std::vector<double> latencies;  // seconds of each batch by itself, rising
  int64_t loaded_bytes = 0;
  int64_t peak_bytes = 0;
  Shares shares;

  double best() const { return seconds.front(); }
  double median() const {
    return (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2;
  }
  // The latency that `percent` of the batches do not exceed.
  double latency(double percent) const {
    const auto rank = std::ceil(percent / 100 * static_cast<double>(latencies.size()));
    return latencies[static_cast<size_t>(std::max(rank, 1.0)) - 1];
  }
};

Lines read_all(const std::string& path) {
  Lines lines;
  LineSource source(path);
  for (decode::SourceLine line; source.next(line);) lines.push_back(line);
  if (lines.empty()) fail<FileError>("--input", "{} has no line to translate", path);
  return lines;
}

// Translates all lines, `batch` at a time; returns the seconds that each time took.
std::vector<double> translate_all(decode::Translator& translator, const Lines& lines,
                                  int64_t batch) {
  translator.restart();
  std::vector<double> seconds;
  std::span<const decode::SourceLine> rest = lines;
  while (!rest.empty()) {
    const size_t count = std::min(rest.size(), static_cast<size_t>(batch));
    const Timer timer;
    translator.translate(rest.first(count));
    seconds.push_back(timer.seconds());
    rest = rest.subspan(count);
  }
  return seconds;
}

// What a span of this name is part of.
double& shard_of(std::string_view name, Shares& shares) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("gemm") || has("product")) return shares.products;
  if (has("attention")) return shares.attention;
  // Decoding takes the softmax's sum of each row by the kernel of the loss.
  for (const std::string_view part : {"top_k", "row_argmax", "cross_entropy", "search"}) {
    if (has(part)) return shares.search;
  }
  return shares.rest;
}

Shares profile_all(decode::Translator& translator, const Lines& lines) {
  profile::start(false);
  translate_all(translator, lines, translator.lines_together());
  profile::stop();
  Shares shares;
  const double all = profile::seconds();
  for (const profile::Entry& entry : profile::entries()) {
    shard_of(entry.name, shares) += entry.seconds / all;
  }
  shares.rest = 1 - shares.products - shares.attention - shares.search;
  return shares;
}

Figures measure(const BenchDecodeOptions& options, const Lines& lines) {
  Figures out;
  const Timer load_timer;
  const std::vector<model_file::Session> sessions = load_sessions(options.translation);
  decode::Translator translator = make_translator(sessions, options.translation);
  out.load_seconds = load_timer.seconds();
  out.loaded_bytes = process_memory().resident_bytes;

  const int64_t batch = options.translation.decode.mini_batch;
  const auto first = std::min(lines.size(), static_cast<size_t>(batch));
  translator.translate(std::span(lines).first(first));
  for (int64_t i = 0; i < options.repeats; ++i) {
    const Timer timer;
    translate_all(translator, lines, translator.lines_together());
    out.seconds.push_back(timer.seconds());
  }
  out.text = translator.report();
  out.latencies = translate_all(translator, lines, batch);
  out.peak_bytes = process_memory().peak_bytes;
  out.shares = profile_all(translator, lines);
  std::ranges::sort(out.seconds);
  std::ranges::sort(out.latencies);
  return out;
}

constexpr double kMega = 1e6;

std::string table(const Figures& f, int64_t batch) {
  const auto lines = static_cast<double>(f.text.lines);
  const auto tokens = static_cast<double>(f.text.output_tokens);
  std::string out =
      fmt::format("{:<24}{:>12}\n{:<24}{:>12}\n{:<24}{:>12}\n", "lines", f.text.lines,
                  "source tokens", f.text.source_tokens, "output tokens", f.text.output_tokens);
  out += fmt::format("\n{:<24}{:>12}{:>12}\n", "", "best", "median");
  const auto pair = [&](std::string_view name, int digits, auto&& figure) {
    out += fmt::format("{:<24}{:>12.{}f}{:>12.{}f}\n", name, figure(f.best()), digits,
                       figure(f.median()), digits);
  };
  pair("output tokens/s", 1, [&](double seconds) { return tokens / seconds; });
  pair("lines/s", 1, [&](double seconds) { return lines / seconds; });
  pair("ms a line", 3, [&](double seconds) { return 1e3 * seconds / lines; });

  out += fmt::format("\n{:<24}{:>12}{:>12}{:>12}\n", "latency, ms", "50 %", "90 %", "99 %");
  out += fmt::format("{:<24}{:>12.2f}{:>12.2f}{:>12.2f}\n",
                     batch == 1 ? "a line" : fmt::format("{} lines", batch), 1e3 * f.latency(50),
                     1e3 * f.latency(90), 1e3 * f.latency(99));
  out += fmt::format("\n{:<24}{:>12}{:>12}\n{:<24}{:>12.1f}{:>12.1f}\n", "memory, MB", "loaded",
                     "peak", "", static_cast<double>(f.loaded_bytes) / kMega,
                     static_cast<double>(f.peak_bytes) / kMega);
  out += fmt::format("{:<24}{:>12.3f}\n", "loading, s", f.load_seconds);
  out += fmt::format("\n{:<24}{:>12}{:>12}{:>12}{:>12}\n", "share of time, %", "products",
                     "attention", "search", "rest");
  return out + fmt::format("{:<24}{:>12.1f}{:>12.1f}{:>12.1f}{:>12.1f}\n", "",
                           100 * f.shares.products, 100 * f.shares.attention, 100 * f.shares.search,
                           100 * f.shares.rest);
}

std::string as_json(const Figures& f, const BenchDecodeOptions& options) {
  using Json = nlohmann::ordered_json;
  const auto lines = static_cast<double>(f.text.lines);
  const auto tokens = static_cast<double>(f.text.output_tokens);
  const auto pair = [&](auto&& figure) {
    return Json{{"best", figure(f.best())}, {"median", figure(f.median())}};
  };
  const Json out = {
      {"model", fmt::format("{}", fmt::join(options.translation.models, ","))},
      {"precision", options.translation.precision},
      {"input", options.translation.input},
      {"threads", threads()},
      {"options", Json::parse(formats::options_to_json(options.translation.decode))},
      {"lines", f.text.lines},
      {"source_tokens", f.text.source_tokens},
      {"output_tokens", f.text.output_tokens},
      {"repeats", options.repeats},
      {"seconds", pair([](double seconds) { return seconds; })},
      {"tokens_per_s", pair([&](double seconds) { return tokens / seconds; })},
      {"lines_per_s", pair([&](double seconds) { return lines / seconds; })},
      {"ms_per_line", pair([&](double seconds) { return 1e3 * seconds / lines; })},
      {"latency_ms",
       {{"lines", options.translation.decode.mini_batch},
        {"batches", f.latencies.size()},
        {"p50", 1e3 * f.latency(50)},
        {"p90", 1e3 * f.latency(90)},
        {"p99", 1e3 * f.latency(99)}}},
      {"load_s", f.load_seconds},
      {"memory_mb",
       {{"loaded", static_cast<double>(f.loaded_bytes) / kMega},
        {"peak", static_cast<double>(f.peak_bytes) / kMega}}},
      {"share",
       {{"products", f.shares.products},
        {"attention", f.shares.attention},
        {"search", f.shares.search},
        {"rest", f.shares.rest}}},
  };
  return out.dump(1) + "\n";
}

int run_bench_decode(const Args& args) {
  const auto options = parse_command<BenchDecodeOptions>(
      {.name = "bench decode",
       .summary = "Measures how fast a model translates a text: tokens a second (end symbols "
                  "included), latency, memory, and where the time goes"},
      args);
  if (!options) return 0;
  std::ios::sync_with_stdio(false);
  const Lines lines = read_all(options->translation.input);
  std::optional<AtomicFile> json;  // so that a name that cannot be written is known at once
  if (!options->json.empty()) json.emplace(options->json);
  const Figures figures = measure(*options, lines);
  if (figures.text.faults() > 0) log::warn("{}", figures.text.text());
  print(table(figures, options->translation.decode.mini_batch));
  if (options->profile) print("\n" + profile::table());
  if (json) {
    json->write(as_json(figures, *options));
    json->commit();
  }
  return 0;
}

}  // namespace

int run_bench(const CommandInfo& info, const Args& args) {
  constexpr std::string_view kUsage = "usage: weft bench decode [options]\n";
  if (args.empty()) fail<OptionError>("bench", "nothing to measure given; expected decode");
  if (args[0] == "decode") return run_bench_decode(Args(args.begin() + 1, args.end()));
  if (args[0] == "--help" || args[0] == "-h") {
    print(fmt::format("{}\n\n{}\nweft bench decode --help lists its options.\n", info.summary,
                      kUsage));
    return 0;
  }
  fail<OptionError>("bench", "cannot measure {}; expected decode", quote(args[0]));
}

}  // namespace weft::app
