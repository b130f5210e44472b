// Requests whose targets are drafted, and runs of them.
#ifndef WEFT_TESTS_DECODE_DRAFT_DRAFTED_REQUESTS_H_
#define WEFT_TESTS_DECODE_DRAFT_DRAFTED_REQUESTS_H_

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/decode/engine_log.h"
#include "tests/decode/mixed_requests.h"

namespace weft::decode {

inline std::string numbers_of(std::span<const int32_t> tokens) {
  std::string out;
  for (const int32_t token : tokens) out += fmt::format("{},", token);
  return out;
}

// With all options; most have one hypothesis, and a third none that is drafted.
inline std::vector<Request> requests_to_draft(int64_t count) {
  std::vector<Request> out = mixed_requests(count);
  for (int64_t i = 0; i < count; ++i) {
    Request& r = out[static_cast<size_t>(i)];
    if (i % 3 > 0) r.beam = {.size = 1, .penalty = {PowerPenalty{1}}};
    if (i % 5 == 1) r.end_ids = {4, 5, 6};
    if (i % 7 == 2) r.stop = StopStrings{.strings = {"1,3", "7,", "9,2"}, .detokenise = numbers_of};
    if (i % 4 == 0) r.prompt = {kBegin, 9, 8, static_cast<int32_t>(4 + i % 8), 30, 31};
    if (i % 4 == 0) r.prompt.resize(static_cast<size_t>(1 + i % 6));
    if (i % 4 == 0) r.source = out[0].source;  // so that they share rows of their prompts
  }
  return out;
}

// What each request finds alone and without drafts. Afterwards it is its draft_text too.
inline std::vector<NBest> plain_results(StepModel& model, std::vector<Request>& requests) {
  std::vector<NBest> out;
  for (Request& request : requests) {
    out.push_back(alone(model, request));
    request.draft_text = out.back().front().tokens;
    if (out.back().front().ended) request.draft_text.push_back(kEnd);
  }
  return out;
}

inline DraftCounts counts_of(const Log& log) {
  DraftCounts out;
  for (const auto& [id, output] : log.finished) {
    for (const Hypothesis& h : output.hypotheses) {
      out.drafted += h.drafts.drafted;
      out.accepted += h.drafts.accepted;
    }
  }
  return out;
}

// Returns what was drafted.
inline DraftCounts expect_results(const Log& log, const std::vector<NBest>& expected) {
  for (size_t r = 0; r < expected.size(); ++r) {
    const auto id = static_cast<RequestId>(r);
    EXPECT_EQ(log.error_of(id), "");
    EXPECT_TRUE(same_hypotheses(log.finished.at(id).hypotheses, expected[r])) << r;
  }
  return counts_of(log);
}

// Requests come while others are active, which share beginnings with them, and are parked.
inline Log run_staggered(StepModel& model, const std::vector<Request>& requests,
                         const EngineOptions& options) {
  Engine engine(model, options);
  RandomStream random(5, static_cast<uint64_t>(options.slots));
  Log log;
  size_t next = 0;
  while (log.finished.size() < requests.size()) {
    while (next < requests.size() && random.below(3) > 0) engine.submit(requests[next++]);
    log.add(engine.step());
    if (random.below(3) == 0) engine.park(static_cast<RequestId>(random.below(requests.size())));
    engine.resume(static_cast<RequestId>(random.below(requests.size())));
  }
  return log;
}

}  // namespace weft::decode

#endif  // WEFT_TESTS_DECODE_DRAFT_DRAFTED_REQUESTS_H_
