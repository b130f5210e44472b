#include "weft/decode/search/search.h"

#include <algorithm>

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

NBest not_finite_result() { return {{.tokens = {}, .is_finite = false}}; }

std::vector<NBest> search(StepModel& model, std::vector<Request> requests, EngineOptions options,
                          const OnStablePrefix& on_stable_prefix) {
  std::vector<NBest> out(requests.size());
  if (requests.empty()) return out;
  options.slots = std::min(options.slots, std::ssize(requests));
  Engine engine(model, options);
  for (Request& request : requests) {
    request.streams = static_cast<bool>(on_stable_prefix);
    engine.submit(std::move(request));
  }
  while (!engine.is_idle()) {
    for (RequestOutput& output : engine.step()) {
      if (is_not_finite(output.error)) output.hypotheses = not_finite_result();
      if (on_stable_prefix) on_stable_prefix({output.id, output.stable_prefix, output.is_finished});
      if (output.is_finished) out[static_cast<size_t>(output.id)] = std::move(output.hypotheses);
    }
  }
  return out;
}

}  // namespace weft::decode
