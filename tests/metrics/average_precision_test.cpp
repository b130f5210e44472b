// Against pycocotools. The numbers are written by tools/golden/average_precision.py.
#include "weft/metrics/average_precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"

namespace weft::metrics {
namespace {

using testing::HasSubstr;

data::Box box_of(const nlohmann::json& numbers, size_t first) {
  return {numbers[first].get<double>(), numbers[first + 1].get<double>(),
          numbers[first + 2].get<double>(), numbers[first + 3].get<double>()};
}

// Also where a recall or an IoU equals a threshold, which is that of numpy's linspace.
TEST(AveragePrecision, IsThatOfPycocotools) {
  std::ifstream in(test::source_path("tests/golden/average_precision.json"));
  const nlohmann::json cases = nlohmann::json::parse(in);
  ASSERT_EQ(cases.size(), 8u);
  for (const nlohmann::json& c : cases) {
    SCOPED_TRACE(c["name"].get<std::string>());
    AveragePrecision precision(c["label_count"].get<int32_t>());
    for (const nlohmann::json& picture : c["pictures"]) {
      std::vector<ExpectedBox> expected;
      std::vector<DetectedBox> detected;
      for (const auto& box : picture["expected"]) {
        expected.push_back({box[0].get<int32_t>(), box_of(box, 1)});
      }
      for (const auto& box : picture["detected"]) {
        detected.push_back({box[0].get<int32_t>(), box[1].get<double>(), box_of(box, 2)});
      }
      precision.add(expected, detected);
    }
    const PrecisionReport report = precision.report();
    EXPECT_NEAR(report.at_50, c["at_50"].get<double>(), 1e-12);
    EXPECT_NEAR(report.at_75, c["at_75"].get<double>(), 1e-12);
    EXPECT_NEAR(report.mean, c["mean"].get<double>(), 1e-12);
    for (size_t label = 0; label < report.labels.size(); ++label) {
      const double mean = c["labels"][label].get<double>();
      const bool has_boxes = report.labels[label].expected > 0;
      EXPECT_EQ(has_boxes, mean >= 0);
      if (!has_boxes) continue;
      EXPECT_NEAR(report.labels[label].mean(), mean, 1e-12);
    }
  }
}

TEST(AveragePrecision, WithoutBoxesIsZero) {
  AveragePrecision precision(2);
  EXPECT_EQ(precision.report().mean, 0);
  precision.add({}, std::vector<DetectedBox>{{1, 0.5, {0, 0, 1, 1}}});
  EXPECT_EQ(precision.report().at_50, 0);
  EXPECT_EQ(precision.report().labels[1].detected, 1);
}

TEST(AveragePrecision, PrintsALineForEachLabelWithBoxes) {
  AveragePrecision precision(3);
  const data::Box box{0, 0, 4, 4};
  precision.add(std::vector<ExpectedBox>{{0, box}, {2, box}},
                std::vector<DetectedBox>{{0, 0.9, box}, {2, 0.8, {8, 8, 4, 4}}});
  const std::vector<std::string> names{"cup", "spoon", "a long name"};
  const std::string text = precision.report().text(names);
  EXPECT_THAT(text, HasSubstr("cup           1.0000   1.0000   1.0000   1.0000        1\n"));
  EXPECT_THAT(text, HasSubstr("a long name   0.0000   0.0000   0.0000   0.0000        1\n"));
  EXPECT_THAT(text, HasSubstr("mean          0.5000   0.5000   0.5000                 2\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("spoon")));
}

}  // namespace
}  // namespace weft::metrics
