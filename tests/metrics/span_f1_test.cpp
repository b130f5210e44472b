#include "weft/metrics/span_f1.h"

#include "tests/metrics/labels_golden.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::metrics {
namespace {

using nlohmann::json;
using test::golden;
using weft::test::message_of;
using Tags = std::vector<std::string>;

SpanF1 score(const json& c, SpanMatching params) {
  const auto expected = c.at("expected").get<std::vector<Tags>>();
  const auto predicted = c.at("predicted").get<std::vector<Tags>>();
  SpanF1 out(params);
  for (size_t i = 0; i < expected.size(); ++i) {
    out.add(std::vector<std::string_view>(expected[i].begin(), expected[i].end()),
            std::vector<std::string_view>(predicted[i].begin(), predicted[i].end()));
  }
  return out;
}

void expect_case(const json& c, const char* mode, SpanMatching params) {
  SCOPED_TRACE(c.at("name").get<std::string>() + ", " + mode);
  if (!c.contains(mode)) return;
  const LabelReport report = score(c, params).report();
  test::expect_report(report, c.at(mode).at("rows"));
  EXPECT_EQ(report.text(4), c.at(mode).at("text").get<std::string>());
}

TEST(SpanF1, MatchesSeqeval) {
  int strict = 0;
  for (const json& c : golden().at("spans")) {
    expect_case(c, "lenient", SpanMatching::kLenient);
    const bool is_bio = c.at("scheme") == "BIO";
    expect_case(c, "strict", is_bio ? SpanMatching::kStrictBio : SpanMatching::kStrictIobes);
    strict += c.contains("strict") ? 1 : 0;
  }
  EXPECT_GE(golden().at("spans").size(), 14u);
  EXPECT_GE(strict, 12);
}

TEST(SpanF1, RefusesInvalidInput) {
  using Views = std::vector<std::string_view>;
  SpanF1 lenient, strict(SpanMatching::kStrictBio);
  EXPECT_EQ(message_of<FormatError>([&] { lenient.add(Views{"O"}, Views{}); }),
            "span F1: expected one label for each of 1 items, got 0");
  EXPECT_EQ(message_of<FormatError>([&] { strict.add(Views{"O"}, Views{"S-A"}); }),
            "tags: expected tags that begin with one of BIO, got 'S-A'");
}

}  // namespace
}  // namespace weft::metrics
