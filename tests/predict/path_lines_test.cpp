#include "weft/predict/path_lines.h"

#include <gtest/gtest.h>

#include "weft/core/error.h"

namespace weft::predict {
namespace {

TEST(PathLines, HaveAFaultWhateverItsMessage) {
  const std::vector<Line> lines = {
      {.text = "read"}, {.text = "refused"}, {}, {.text = {}, .fault = too_long_fault()}};
  const auto faults = read_paths(lines, 0, [](size_t, const std::string& path) {
    if (path == "refused") throw FileError("");
  });
  ASSERT_EQ(faults.size(), 4u);
  EXPECT_FALSE(faults[0]);
  ASSERT_TRUE(faults[1] && faults[2] && faults[3]);
  EXPECT_EQ(faults[1]->kind, FaultKind::kUnreadable);
  EXPECT_EQ(faults[2]->kind, FaultKind::kEmpty);
  EXPECT_EQ(faults[2]->reason, "no path");
  EXPECT_EQ(faults[3]->kind, FaultKind::kTooLong);
}

}  // namespace
}  // namespace weft::predict
