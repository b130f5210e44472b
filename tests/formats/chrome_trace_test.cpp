#include "weft/formats/chrome_trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/scratch.h"

namespace weft::formats {
namespace {

TEST(ChromeTrace, HasEverySpanWithItsDuration) {
  const test::Scratch scratch;
  const std::vector<profile::Event> events = {{"gemm", 10, 2.5}, {"adam", 13, 1}};
  write_chrome_trace(scratch.path("trace.json"), events);
  const auto trace = nlohmann::json::parse(test::read_bytes(scratch.path("trace.json")));
  ASSERT_EQ(trace["traceEvents"].size(), 2u);
  EXPECT_EQ(trace["traceEvents"][0]["name"], "gemm");
  EXPECT_EQ(trace["traceEvents"][0]["ph"], "X");
  EXPECT_EQ(trace["traceEvents"][0]["ts"], 10);
  EXPECT_EQ(trace["traceEvents"][0]["dur"], 2.5);
}

}  // namespace
}  // namespace weft::formats
