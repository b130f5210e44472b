#include "weft/metrics/confusion.h"

#include <tuple>

#include "tests/metrics/labels_golden.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/metrics/accuracy.h"

namespace weft::metrics {
namespace {

using test::golden;
using weft::test::message_of;
using Ids = std::vector<int32_t>;

TEST(Confusion, MatchesScikitLearn) {
  const auto names = golden().at("names").get<std::vector<std::string>>();
  for (const auto& c : golden().at("classification")) {
    SCOPED_TRACE(c.at("name").get<std::string>());
    const auto expected = c.at("expected").get<Ids>(), predicted = c.at("predicted").get<Ids>();
    ConfusionMatrix matrix(static_cast<int32_t>(names.size()));
    matrix.add(expected, predicted);
    const LabelReport report = matrix.report(names);
    test::expect_report(report, c.at("rows"));
    EXPECT_NEAR(report.accuracy.value(), c.at("accuracy").get<double>(), test::kTolerance);
    EXPECT_EQ(accuracy(expected, predicted), *report.accuracy);
    EXPECT_EQ(report.micro.f1, *report.accuracy);
    EXPECT_EQ(report.text(3), c.at("text").get<std::string>());
  }
}

TEST(Confusion, CountsPairs) {
  ConfusionMatrix matrix(3);
  matrix.add(Ids{0, 0, 1, 1, 2, 2, 2}, Ids{0, 1, 2, 2, 0, 1, 2});
  EXPECT_EQ(matrix.total(), 7);
  EXPECT_EQ(matrix.count(1, 2), 2);
  EXPECT_EQ(matrix.count(1, 0), 0);
  EXPECT_EQ(matrix.tsv(std::vector<std::string>{"a", "b", "c"}),
            "expected \\ predicted\ta\tb\tc\na\t1\t1\t0\nb\t0\t0\t2\nc\t1\t1\t1\n");
  const auto worst = matrix.most_frequent(3);
  ASSERT_EQ(worst.size(), 3u);
  EXPECT_EQ(std::tie(worst[0].expected, worst[0].predicted, worst[0].count),
            std::tuple(1, 2, int64_t{2}));
  EXPECT_EQ(std::tie(worst[1].expected, worst[1].predicted), std::tuple(0, 1));
  EXPECT_EQ(std::tie(worst[2].expected, worst[2].predicted), std::tuple(2, 0));
}

TEST(Confusion, OfNothingIsZero) {
  const ConfusionMatrix matrix(2);
  const LabelReport report = matrix.report(std::vector<std::string>{"a", "b"});
  EXPECT_EQ(*report.accuracy, 0);
  EXPECT_EQ(report.macro.f1, 0);
  EXPECT_EQ(report.weighted.f1, 0);
  EXPECT_EQ(accuracy({}, {}), 0);
}

TEST(Confusion, RefusesInvalidInput) {
  ConfusionMatrix matrix(2);
  EXPECT_EQ(message_of<FormatError>([&] { matrix.add(0, 2); }),
            "confusion matrix: label 2; expected 0 to 1");
  EXPECT_EQ(message_of<FormatError>([&] { matrix.add(-1, 0); }),
            "confusion matrix: label -1; expected 0 to 1");
  EXPECT_EQ(message_of<FormatError>([&] {
              matrix.add(Ids{0, 1}, Ids{0});
            }),
            "confusion matrix: expected one label for each of 2 items, got 1");
  EXPECT_EQ(message_of<FormatError>([] {
              accuracy(Ids{0, 1}, Ids{0});
            }),
            "accuracy: expected one label for each of 2 items, got 1");
  EXPECT_EQ(message_of<FormatError>([&] { matrix.report(std::vector<std::string>{"a"}); }),
            "confusion matrix: expected 2 label names, got 1");
}

}  // namespace
}  // namespace weft::metrics
