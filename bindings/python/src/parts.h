// Predictions of many inputs that Ctrl-C ends.
#ifndef BINDINGS_PYTHON_SRC_PARTS_H_
#define BINDINGS_PYTHON_SRC_PARTS_H_

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <vector>

#include "bindings/python/src/convert.h"

namespace weft::python {

// predict(inputs, report) of parts of `inputs` in turn, of about a second each, without the lock
// of Python's interpreter but between them. Results do not depend on the parts.
template <class Input, class Predict>
auto predict_in_parts(const std::vector<Input>& inputs, Report& report, const Predict& predict) {
  using Clock = std::chrono::steady_clock;
  decltype(predict(std::span<const Input>(inputs), report)) out;
  out.reserve(inputs.size());
  size_t most = 1024;
  for (std::span<const Input> rest(inputs); !rest.empty();) {
    const std::span<const Input> part = rest.first(std::min(most, rest.size()));
    rest = rest.subspan(part.size());
    const auto begin = Clock::now();
    auto results = without_lock([&] { return predict(part, report); });
    std::ranges::move(results, std::back_inserter(out));
    const auto time = Clock::now() - begin;
    if (time > std::chrono::seconds(2)) most = std::max<size_t>(most / 2, 128);
    if (time < std::chrono::milliseconds(500)) most *= 2;
    check_signals();
  }
  return out;
}

}  // namespace weft::python

#endif  // BINDINGS_PYTHON_SRC_PARTS_H_
