// weft compare of predictions that a command has written.
#ifndef WEFT_TESTS_E2E_COMPARING_H_
#define WEFT_TESTS_E2E_COMPARING_H_

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/program.h"
#include "tests/support/scratch.h"

namespace weft::test {

// Expects predictions of that many examples, and of this metric the value that was measured.
inline void expect_compared(const Scratch& folder, const std::string& file, int64_t examples,
                            const std::string& metric, double value) {
  const std::string predictions = read_bytes(folder.path(file));
  EXPECT_EQ(std::ranges::count(predictions, '\n'), examples);
  const ProcessResult result =
      run_weft({"compare", file, file, "--samples", "20", "--json"}, {.folder = folder.folder()});
  ASSERT_EQ(result.status, 0) << result.errors;
  for (const auto& found : nlohmann::json::parse(result.output)) {
    if (found["metric"] != metric) continue;
    EXPECT_NEAR(found["systems"][0]["score"].get<double>(), value, 1e-5);
    EXPECT_EQ(found["systems"][1]["p"], 1);
    return;
  }
  ADD_FAILURE() << metric << " is not among " << result.output;
}

}  // namespace weft::test

#endif  // WEFT_TESTS_E2E_COMPARING_H_
