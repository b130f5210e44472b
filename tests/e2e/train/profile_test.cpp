// The profile of a training and its outputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

TEST(Profile, OfATrainingIsPrintedTracedAndLogged) {
  const Scratch folder;
  write_toy_text(folder);
  const ProcessResult result = run_weft(
      toy_training(10, {"--quiet", "--log", "log", "--profile", "--profile-trace", "trace.json"}),
      {.folder = folder.folder()});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("outside all spans"));
  EXPECT_THAT(result.output, HasSubstr("gemm"));
  EXPECT_THAT(result.errors, testing::Not(HasSubstr("training finished")));
  EXPECT_THAT(read_bytes(folder.path("log")), HasSubstr("training finished at update 10"));
  const auto trace = nlohmann::json::parse(read_bytes(folder.path("trace.json")));
  EXPECT_GT(trace["traceEvents"].size(), 100u);
}

}  // namespace
}  // namespace weft::test
