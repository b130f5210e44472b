// weft bench: measures the speed, memory and time distribution of decoding.
#include "apps/weft/bench/bench.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "weft/core/profile.h"

namespace weft::app {
namespace {

// The category of a span.
double& category_of(std::string_view name, Breakdown& breakdown) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("gemm") || has("product")) return breakdown.products;
  if (has("attention")) return breakdown.attention;
  // Decoding computes the normaliser of the softmax with the cross-entropy kernel.
  for (const std::string_view part : {"top_k", "row_argmax", "cross_entropy", "search"}) {
    if (has(part)) return breakdown.search;
  }
  return breakdown.rest;
}

}  // namespace

double megabytes(int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

double median(const std::vector<double>& sorted) {
  return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

std::string Footprint::table() const {
  return fmt::format("\n{:<24}{:>12}{:>12}\n{:<24}{:>12.1f}{:>12.1f}\n{:<24}{:>12.3f}\n",
                     "memory, MB", "loaded", "peak", "", megabytes(loaded_bytes),
                     megabytes(peak_bytes), "loading, s", load_seconds);
}

void Footprint::add_to(Json& figures) const {
  figures["load_s"] = load_seconds;
  figures["memory_mb"] = {{"loaded", megabytes(loaded_bytes)}, {"peak", megabytes(peak_bytes)}};
}

std::string Breakdown::table() const {
  return fmt::format(
      "\n{:<24}{:>12}{:>12}{:>12}{:>12}\n{:<24}{:>12.1f}{:>12.1f}{:>12.1f}{:>12.1f}\n", "time, %",
      "products", "attention", "search", "rest", "", 100 * products, 100 * attention, 100 * search,
      100 * rest);
}

Json Breakdown::json() const {
  return {{"products", products}, {"attention", attention}, {"search", search}, {"rest", rest}};
}

Breakdown profiled_breakdown() {
  Breakdown out;
  const double all = profile::seconds();
  for (const profile::Entry& entry : profile::entries()) {
    category_of(entry.name, out) += entry.seconds / all;
  }
  out.rest = 1 - out.products - out.attention - out.search;
  return out;
}

int run_bench(const CommandInfo& info, const Args& args) {
  struct Benchmark {
    std::string_view name;
    int (*run)(const Args&);
  };
  constexpr Benchmark kBenchmarks[] = {{"decode", run_bench_decode},
                                       {"generate", run_bench_generate}};
  constexpr std::string_view kExpected = "expected decode or generate";
  if (args.empty()) fail<OptionError>("bench", "no benchmark given; {}", kExpected);
  for (const auto& [name, run] : kBenchmarks) {
    if (args[0] == name) return run(Args(args.begin() + 1, args.end()));
  }
  if (args[0] != "--help" && args[0] != "-h") {
    fail<OptionError>("bench", "unknown benchmark {}; {}", quote(args[0]), kExpected);
  }
  print(
      fmt::format("{}\n\n"
                  "usage: weft bench decode [options]      translation of a text\n"
                  "       weft bench generate [options]    prompts and continuations of a "
                  "language model\n\n"
                  "weft bench decode --help lists the options of the first.\n",
                  info.summary));
  return 0;
}

}  // namespace weft::app
