#include "weft/predict/tagging/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::predict {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TagEvaluation chunks_and_intents() {
  return {{data::LabelSet({"O", "B-X", "I-X"}, "chunks"), data::LabelSet({"ask", "tell"}, "texts")},
          1};
}

TEST(TagEvaluation, CountsLabelsSpansAndTextsThatAreAllRight) {
  TagEvaluation evaluation = chunks_and_intents();
  evaluation.add({{"B-X", "I-X", "O"}, {"ask"}}, {{"B-X", "I-X", "O"}, {"ask"}});
  evaluation.add({{"B-X", "I-X"}, {"tell"}}, {{"B-X", "B-X"}, {"tell"}});
  evaluation.add({{"O"}, {"tell"}}, {{"O"}, {"ask"}});
  EXPECT_EQ(evaluation.texts(), 3);
  EXPECT_DOUBLE_EQ(evaluation.exact_match(), 1.0 / 3);
  const ColumnEvaluation &chunks = evaluation.columns()[0], &texts = evaluation.columns()[1];
  EXPECT_DOUBLE_EQ(chunks.accuracy(), 5.0 / 6);
  // Spans: two expected, three given, one right.
  EXPECT_DOUBLE_EQ(chunks.span_f1(), 0.4);
  EXPECT_THAT(chunks.report().text(4), HasSubstr("X     0.3333    0.5000    0.4000         2"));
  EXPECT_FALSE(texts.marks_spans());
  EXPECT_DOUBLE_EQ(texts.accuracy(), 2.0 / 3);
  EXPECT_THAT(texts.report().text(4), HasSubstr("accuracy"));
  EXPECT_EQ(texts.confusion().tsv(texts.names()),
            "expected \\ predicted\task\ttell\nask\t1\t0\ntell\t1\t1\n");
}

TEST(TagEvaluation, CountsALabelThatTrainingNeverSawAsWrong) {
  TagEvaluation evaluation = chunks_and_intents();
  evaluation.add({{"B-Y", "O"}, {"shout"}}, {{"B-X", "O"}, {"ask"}});
  EXPECT_EQ(evaluation.columns()[0].unseen(), 1);
  EXPECT_EQ(evaluation.columns()[1].unseen(), 1);
  EXPECT_THAT(evaluation.columns()[1].names(), ElementsAre("ask", "tell", "shout"));
  EXPECT_DOUBLE_EQ(evaluation.columns()[0].accuracy(), 0.5);
  EXPECT_DOUBLE_EQ(evaluation.columns()[0].span_f1(), 0);
  EXPECT_DOUBLE_EQ(evaluation.exact_match(), 0);
}

TEST(TagEvaluation, RefusesOtherNumbersOfLabels) {
  TagEvaluation evaluation = chunks_and_intents();
  EXPECT_NE(test::message_of<FormatError>([&] {
              evaluation.add({{"O", "O"}, {"ask"}}, {{"O"}, {"ask"}});
            }),
            "");
  EXPECT_DOUBLE_EQ(TagEvaluation(chunks_and_intents()).exact_match(), 0);
}

}  // namespace
}  // namespace weft::predict
