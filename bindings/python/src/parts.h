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

// Calls work(part) for parts of `inputs` in turn, of about a second each, without the lock of
// Python's interpreter but between them. Results do not depend on the parts.
template <class Input, class Work>
void for_each_part(const std::vector<Input>& inputs, const Work& work) {
  using Clock = std::chrono::steady_clock;
  size_t most = 1024;
  for (std::span<const Input> rest(inputs); !rest.empty();) {
    const std::span<const Input> part = rest.first(std::min(most, rest.size()));
    rest = rest.subspan(part.size());
    const auto begin = Clock::now();
    without_lock([&] { work(part); });
    const auto time = Clock::now() - begin;
    if (time > std::chrono::seconds(2)) most = std::max<size_t>(most / 2, 128);
    if (time < std::chrono::milliseconds(500)) most *= 2;
    check_signals();
  }
}

// The results of predict(part, report) of all parts.
template <class Input, class Predict>
auto predict_in_parts(const std::vector<Input>& inputs, Report& report, const Predict& predict) {
  decltype(predict(std::span<const Input>(inputs), report)) out;
  out.reserve(inputs.size());
  for_each_part(inputs, [&](std::span<const Input> part) {
    std::ranges::move(predict(part, report), std::back_inserter(out));
  });
  return out;
}

}  // namespace weft::python

#endif  // BINDINGS_PYTHON_SRC_PARTS_H_
