#include "weft/report.h"

#include <gtest/gtest.h>

#include "weft/predict/line.h"

namespace weft::predict {
namespace {

TEST(Report, OfInputsWithoutNewsSaysHowManyThereWere) {
  Report report("picture");
  report.inputs = 3;
  EXPECT_EQ(report.text(), "3 pictures");
  EXPECT_FALSE(report.has_news());
}

TEST(Report, NamesTheFaultOfTheLowestNumber) {
  Report report;
  report.inputs = 9;
  report.add({FaultKind::kEmpty, "no word"}, 0);
  report.add({FaultKind::kUnreadable, "b.png: cannot be opened"}, 7);
  report.add(not_finite_fault(), 4);
  report.add(not_utf8_fault(), 5);
  EXPECT_EQ(report.text(),
            "9 lines: 1 empty, 1 not UTF-8 (left empty), 1 that cannot be read (left empty), 1 "
            "whose scores are not finite numbers (left empty); the first fault is in line 5: the "
            "model's scores are not finite numbers");
  EXPECT_EQ(report.problems(), 3);
}

TEST(Report, TellsProblemsFromOtherNews) {
  Report report;
  report.inputs = 4;
  for (const Note note : {Note::kWindows, Note::kUnknown, Note::kNoText}) report.add(note);
  EXPECT_EQ(report.problems(), 0);
  EXPECT_TRUE(report.has_news());
  for (const Note note :
       {Note::kMalformed, Note::kSplit, Note::kCropped, Note::kUnfinished, Note::kIncomplete}) {
    report.add(note);
  }
  EXPECT_EQ(report.problems(), 5);
}

}  // namespace
}  // namespace weft::predict
