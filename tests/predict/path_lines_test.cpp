#include "weft/predict/path_lines.h"

#include <gtest/gtest.h>

#include "weft/core/error.h"

namespace weft::predict {
namespace {

TEST(PathLines, HaveAFaultWhateverItsMessage) {
  const std::vector<Line> lines = {
      {.text = "read"}, {.text = "refused"}, {}, {.text = {}, .is_over_long = true}};
  LineReport report;
  const auto faults = read_paths(lines, report, [](size_t, const std::string& path) {
    if (path == "refused") throw FileError("");
  });
  ASSERT_EQ(faults.size(), 4u);
  EXPECT_FALSE(faults[0]);
  EXPECT_TRUE(faults[1]);
  EXPECT_EQ(faults[2], "no path");
  EXPECT_EQ(faults[3], "the line is too long");
  EXPECT_EQ(report.faulty, 1);
  EXPECT_EQ(report.faults(), 2);
}

}  // namespace
}  // namespace weft::predict
