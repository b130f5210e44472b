#include "weft/metrics/text/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/metrics/text/bleu.h"
#include "weft/metrics/text/chrf.h"

namespace weft::metrics {
namespace {

using Lines = std::vector<std::string>;

TEST(CorpusMetrics, ReportInvalidInput) {
  const Lines two = {"a", "b"};
  const std::vector<Lines> uneven = {{"a", "b"}, {"a", "b", "c"}};
  const std::vector<Lines> none;
  for (const std::string where : {"bleu", "chrf"}) {
    const auto score = [&](const Lines& hypotheses, const std::vector<Lines>& references) {
      if (where == "bleu") {
        corpus_bleu(hypotheses, references);
      } else {
        corpus_chrf(hypotheses, references);
      }
    };
    EXPECT_EQ(weft::test::message_of<Error>([&] { score(two, uneven); }),
              where + ": reference 2 does not match the hypotheses; expected 2 lines, got 3");
    EXPECT_EQ(weft::test::message_of<Error>([&] { score({}, uneven); }),
              where + ": no hypotheses; expected at least one line");
    EXPECT_EQ(weft::test::message_of<Error>([&] { score(two, none); }),
              where + ": no references; expected at least one");
    EXPECT_THROW(score(two, uneven), FormatError);
  }
}

TEST(Chrf, RefusesInvalidOrders) {
  const Lines line = {"a"};
  const std::vector<Lines> references = {line};
  const auto error = [&](const ChrfOptions& options) {
    return weft::test::message_of<Error>([&] { corpus_chrf(line, references, options); });
  };
  EXPECT_EQ(error({.char_order = 0}), "chrf: char order 0; expected at least 1");
  EXPECT_EQ(error({.word_order = -1}), "chrf: word order -1; expected at least 0");
  EXPECT_EQ(error({.beta = 0}), "chrf: beta 0; expected at least 1");
}

}  // namespace
}  // namespace weft::metrics
