// The benchmarks of `weft bench`, and what they share.
#ifndef APPS_WEFT_BENCH_BENCH_H_
#define APPS_WEFT_BENCH_BENCH_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/weft/command.h"

namespace weft::app {

using Json = nlohmann::ordered_json;

double median(const std::vector<double>& sorted);

double megabytes(int64_t bytes);

// What a model takes: seconds to load it, and the memory of the process then and at most.
struct Footprint {
  double load_seconds = 0;
  int64_t loaded_bytes = 0, peak_bytes = 0;

  std::string table() const;  // three lines after an empty one
  void add_to(Json& figures) const;
};

// Fractions of the time of decoding.
struct Breakdown {
  double products = 0, attention = 0, search = 0, rest = 0;

  std::string table() const;  // two lines after an empty one
  Json json() const;
};

// Of the profile that was recorded last.
Breakdown profiled_breakdown();

// Translation of a text.
int run_bench_decode(const Args& args);
// Prompts and continuations of a language model.
int run_bench_generate(const Args& args);

}  // namespace weft::app

#endif  // APPS_WEFT_BENCH_BENCH_H_
