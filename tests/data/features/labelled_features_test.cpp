#include "weft/data/features/labelled_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/captured_log.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNan;
using testing::ThrowsMessage;

const LabelledTextOptions kPaths{.text_field = 1, .labels = {{.field = 0, .is_of_line = true}}};

class Sequences : public testing::Test {
 protected:
  LabelledFeatures read(const std::string& path, const FeatureColumns& params = {}) const {
    return {{path}, kPaths, params, collect_sequence_labels({path}, kPaths)};
  }
  std::string series(const std::string& lines) const {
    return folder_.file("x.ts", "@timeStamps false\n@classLabel true a b\n@data\n" + lines);
  }

  test::Scratch folder_;
};

TEST_F(Sequences, OfTimeSeriesAndOfListsAreTheSame) {
  folder_.file("one.csv", "1,4\n2,5\n");
  folder_.file("two.csv", "7,8\n");
  const LabelledFeatures series_ = read(series("1,2:4,5:a\n7:8:b\n"));
  const LabelledFeatures list = read(folder_.file("list.tsv", "a\tone.csv\nb\ttwo.csv\n"));
  EXPECT_EQ(series_.fingerprint(), list.fingerprint());
  EXPECT_EQ(list.width(), 2);
  EXPECT_EQ(list.cost(0).rows, 2);
  EXPECT_THAT(list.report(), HasSubstr("2 sequences of 2 channels, 3 vectors"));
  const Batch batch = list.batch(std::vector<int64_t>{1, 0});
  const auto& features = std::get<Features>(batch.fields[0]);
  EXPECT_THAT(features.values, ElementsAre(7, 8, 1, 4, 2, 5));
  EXPECT_THAT(features.segments.offsets, ElementsAre(0, 1, 3));
  EXPECT_THAT(std::get<Labels>(batch.fields[1]).ids, ElementsAre(1, 0));
  EXPECT_NE(read(series("1,2:4,5:b\n7:8:a\n")).fingerprint(), list.fingerprint());
  EXPECT_NE(read(series("1,2:4,6:a\n7:8:b\n")).fingerprint(), list.fingerprint());
}

TEST_F(Sequences, AreNormalisedByTheNumbersThatAreThere) {
  const LabelledFeatures found =
      read(series("1,?:5,5:a\n3:?:b\n"), {.missing = MissingNumbers::kMean});
  const ChannelStatistics statistics = found.statistics();
  EXPECT_THAT(statistics.mean, ElementsAre(2, 5));
  EXPECT_THAT(statistics.deviation, ElementsAre(1, 1));  // of a channel without change: 1
  EXPECT_THAT(found.report(), HasSubstr("; 2 numbers missing"));
  const Batch batch = found.batch(std::vector<int64_t>{0, 1});
  EXPECT_THAT(normalised(std::get<Features>(batch.fields[0]), statistics).values,
              ElementsAre(-1, 0, 0, 0, 1, 0));
}

TEST_F(Sequences, TakeTheLastNumberInPlaceOfAMissingOne) {
  const LabelledFeatures found =
      read(series("?,1,?,?:2,?,3,?:a\n"), {.missing = MissingNumbers::kLast});
  const Batch batch = found.batch(std::vector<int64_t>{0});
  EXPECT_THAT(std::get<Features>(batch.fields[0]).values,
              ElementsAre(IsNan(), 2, 1, 2, 1, 3, 1, 3));
}

TEST_F(Sequences, AreCropped) {
  const LabelledFeatures found = read(series("1,2,3:a\n4:b\n"), {.max_rows = 2});
  EXPECT_EQ(found.cost(0).rows, 2);
  EXPECT_THAT(found.report(), HasSubstr("; 1 cropped"));
}

TEST_F(Sequences, ThatCannotBeReadAreLeftOutAndNamed) {
  folder_.file("one.csv", "1,4\n2,5\n");
  folder_.file("Thumbs.db", std::string("\xD0\xCF\x11\xE0\0\0", 6));
  const std::string list =
      folder_.file("list.tsv", "a\tone.csv\nb\tThumbs.db\nb\tgone.csv\nb\tone.csv\n");
  const test::CapturedLog log;
  const LabelledFeatures found = read(list, {.bad_files = BadFiles::kSkip});
  EXPECT_EQ(found.size(), 2);
  EXPECT_THAT(found.report(), HasSubstr("2 sequences of 2 channels, 4 vectors; 2 files left out"));
  EXPECT_THAT(log.warnings(), HasSubstr("list.tsv:2: "));
  EXPECT_THAT(log.warnings(), HasSubstr("list.tsv:3: "));
  EXPECT_THROW(read(list), FormatError);
}

TEST_F(Sequences, AreReportedWithTheirPlace) {
  folder_.file("one.csv", "1,4\n2,5\n");
  folder_.file("three.csv", "1,2,3\n");
  const auto message = [&](const std::string& path, const std::string& expected,
                           const FeatureColumns& params = {}) {
    EXPECT_THAT([&] { read(path, params); }, ThrowsMessage<Error>(HasSubstr(expected))) << expected;
  };
  message(series("1,?:2,3:a\n"), "x.ts:4: number 1 of vector 2 is missing");
  message(series("1:2:a\n3:b\n"), "x.ts:5: vectors of 1 numbers; expected 2");
  message(series(""), "x.ts");
  message(folder_.file("list.tsv", "a\tone.csv\nb\tthree.csv\n"), "list.tsv:2: vectors of 3");
  message(folder_.file("gone.tsv", "a\tone.csv\nb\tgone.csv\n"), "gone.tsv:2: ");
  message(series("1:a\n"), "x.ts:4: vectors of 1 numbers; expected 3", {.width = 3});
  EXPECT_THROW(missing_numbers_named("zero"), OptionError);
  EXPECT_THAT(([&] { LabelledFeatures({series("1:b\n")}, kPaths, {}, LabelSet({"z"}, "labels")); }),
              ThrowsMessage<FormatError>(HasSubstr("x.ts:4: ")));
}

}  // namespace
}  // namespace weft::data
