// The interface of prediction, the same for models of every kind: three steps, each for many
// inputs. A Predictor has types Request, Answer and Result, these functions, and most_prepared().
//
//   prepare(inputs, report)            what the model reads: tokens, pixels, frames; no model runs
//   run(requests)                      an answer for each request, by an engine or forward passes
//   finish(prepared, answers, report)  a result for each input, in order
//
// Requests of several callers may run together: an answer depends on nothing but its own
// request. A predictor is immutable, so several threads may share it; each has its own report.
#ifndef WEFT_PREDICT_PREDICTOR_H_
#define WEFT_PREDICT_PREDICTOR_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "weft/core/chunks.h"
#include "weft/predict/line.h"
#include "weft/report.h"

namespace weft::predict {

// The requests of some inputs, in their order.
template <class Request>
struct Prepared {
  struct Input {
    size_t requests = 0;              // the number of requests made from this input
    std::optional<Fault> fault = {};  // why there are no requests
  };

  std::vector<Request> requests = {};
  std::vector<Input> inputs = {};
  int64_t first = 0;  // the first input's number in the report, from 0

  Prepared() = default;
  // Inputs that the report counts from now on, without requests.
  Prepared(size_t count, Report& report) : inputs(count), first(report.inputs) {
    report.inputs += static_cast<int64_t>(count);
  }

  void add(size_t input, Request request) {
    requests.push_back(std::move(request));
    ++inputs[input].requests;
  }
  void add_fault(size_t input, const Fault& fault, Report& report) {
    report.add(fault, first + static_cast<int64_t>(input));
    inputs[input].fault = fault;
  }
  // Adds the request of an input, or its fault if there is one.
  void add(size_t input, Request request, const std::optional<Fault>& fault, Report& report) {
    fault ? add_fault(input, *fault, report) : add(input, std::move(request));
  }
  // Counts an input whose scores are NaN or infinite, and returns its fault.
  Fault not_finite(size_t input, Report& report) const {
    report.add(not_finite_fault(), first + static_cast<int64_t>(input));
    return not_finite_fault();
  }
  // Calls take(input, answers to its requests) for each input.
  template <class Answer, class Take>
  void for_each_input(std::span<Answer> answers, Take take) const {
    size_t begin = 0;
    for (size_t i = 0; i < inputs.size(); begin += inputs[i++].requests) {
      take(i, answers.subspan(begin, inputs[i].requests));
    }
  }
};

// Predictor::most_prepared() where inputs take little memory.
inline constexpr int64_t kAnyNumber = std::numeric_limits<int64_t>::max();

// The three steps together. Predictor::most_prepared() says for how many inputs at a time.
template <class Predictor, class Input>
std::vector<typename Predictor::Result> predict(const Predictor& predictor,
                                                std::span<const Input> inputs, Report& report) {
  std::vector<typename Predictor::Result> out;
  for (const std::span<const Input> chunk : chunks(inputs, predictor.most_prepared())) {
    auto prepared = predictor.prepare(chunk, report);
    std::vector<typename Predictor::Answer> answers = predictor.run(prepared.requests);
    std::ranges::move(predictor.finish(prepared, answers, report), std::back_inserter(out));
  }
  return out;
}
template <class Predictor, class Input>
auto predict(const Predictor& predictor, const std::vector<Input>& inputs, Report& report) {
  return predict(predictor, std::span<const Input>(inputs), report);
}

}  // namespace weft::predict

#endif  // WEFT_PREDICT_PREDICTOR_H_
