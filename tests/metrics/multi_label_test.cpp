#include "weft/metrics/multi_label.h"

#include "tests/metrics/labels_golden.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::metrics {
namespace {

using weft::test::message_of;
using Ids = std::vector<int32_t>;

TEST(MultiLabelF1, MatchesScikitLearn) {
  const auto& c = test::golden().at("multi_label");
  const auto names = c.at("names").get<std::vector<std::string>>();
  const auto expected = c.at("expected").get<std::vector<Ids>>();
  auto predicted = c.at("predicted").get<std::vector<Ids>>();
  MultiLabelF1 score(static_cast<int32_t>(names.size()));
  for (size_t i = 0; i < expected.size(); ++i) {
    std::reverse(predicted[i].begin(), predicted[i].end());
    score.add(expected[i], predicted[i]);
  }
  test::expect_report(score.report(names), c.at("rows"));
  EXPECT_NEAR(score.subset_accuracy(), c.at("subset_accuracy").get<double>(), test::kTolerance);
}

TEST(MultiLabelF1, OfNothingIsZero) {
  const MultiLabelF1 score(1);
  EXPECT_EQ(score.report(std::vector<std::string>{"a"}).micro.f1, 0);
  EXPECT_EQ(score.subset_accuracy(), 0);
}

TEST(MultiLabelF1, RefusesInvalidInput) {
  MultiLabelF1 score(3);
  EXPECT_EQ(message_of<FormatError>([&] {
              score.add(Ids{0, 3}, Ids{});
            }),
            "labels: label 3; expected 0 to 2");
  EXPECT_EQ(message_of<FormatError>([&] {
              score.add(Ids{}, Ids{-1, 2});
            }),
            "labels: label -1; expected 0 to 2");
  EXPECT_EQ(message_of<FormatError>([&] {
              score.add(Ids{1, 2, 1}, Ids{});
            }),
            "labels: duplicate label 1 in one item");
  EXPECT_EQ(message_of<FormatError>([&] { score.report(std::vector<std::string>{"a"}); }),
            "labels: expected 3 label names, got 1");
}

}  // namespace
}  // namespace weft::metrics
