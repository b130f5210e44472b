// Runs engines and records what they say.
#ifndef WEFT_TESTS_DECODE_ENGINE_LOG_H_
#define WEFT_TESTS_DECODE_ENGINE_LOG_H_

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/decode/prefix_model.h"
#include "weft/decode/engine.h"

namespace weft::decode {

// What an engine has said, by request.
struct Log {
  std::map<RequestId, RequestOutput> finished;
  std::map<RequestId, std::vector<Prefix>> stable_prefixes;

  void add(std::vector<RequestOutput> outputs) {
    for (RequestOutput& output : outputs) {
      EXPECT_FALSE(finished.contains(output.id)) << output.id;
      if (!output.is_finished) stable_prefixes[output.id].push_back(output.stable_prefix);
      if (output.is_finished) finished[output.id] = std::move(output);
    }
  }
  void run(Engine& engine) {
    while (!engine.is_idle()) add(engine.step());
  }
  std::string error_of(RequestId id) const {
    try {
      if (finished.at(id).error) std::rethrow_exception(finished.at(id).error);
    } catch (const std::exception& e) {
      return e.what();
    }
    return "";
  }
};

inline Request small_request(int32_t source, int64_t size = 2, int64_t limit = 6) {
  return {.source = {source},
          .beam = {.size = size, .n_best = size, .penalty = {PowerPenalty{1}}},
          .length_limit = limit};
}

inline NBest alone(StepModel& model, const Request& request) {
  Engine engine(model, {.slots = 1});
  Log log;
  engine.submit(request);
  log.run(engine);
  return log.finished.at(0).hypotheses;
}

}  // namespace weft::decode

#endif  // WEFT_TESTS_DECODE_ENGINE_LOG_H_
