#include "weft/decode/search/search.h"

#include <algorithm>
#include <numeric>

#include "weft/core/error.h"

namespace weft::decode {
namespace {

// Rethrows another error than a NumericError.
bool is_not_finite(const std::exception_ptr& error) {
  if (!error) return false;
  try {
    std::rethrow_exception(error);
  } catch (const NumericError&) {
    return true;
  }
}

}  // namespace

std::vector<NBest> search(StepModel& model, std::vector<Request> requests, EngineOptions options,
                          const OnStablePrefix& on_stable_prefix) {
  std::vector<NBest> out(requests.size());
  if (requests.empty()) return out;
  options.slots = std::min(options.slots, std::ssize(requests));
  std::vector<int64_t> order(requests.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(),
                           [&](int64_t r) { return requests[r].source.size(); });
  Engine engine(model, options);
  for (const int64_t r : order) {
    requests[r].streams = static_cast<bool>(on_stable_prefix);
    engine.submit(std::move(requests[r]));
  }
  while (!engine.is_idle()) {
    for (RequestOutput& output : engine.step()) {
      const int64_t r = order[static_cast<size_t>(output.id)];
      if (is_not_finite(output.error)) {
        output.hypotheses = {{.tokens = {}, .is_finite = false}};
      }
      if (on_stable_prefix) on_stable_prefix({r, output.stable_prefix, output.is_finished});
      if (output.is_finished) out[r] = std::move(output.hypotheses);
    }
  }
  return out;
}

}  // namespace weft::decode
