#include "weft/data/corpus/parallel_text.h"

#include "tests/data/files.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using Sides = std::vector<std::string>;

class ParallelTextTest : public ::testing::Test {
 protected:
  TempFolder folder;
};

struct SeenPairs {
  std::vector<Sides> lines;
  std::vector<LineFault> faults;
};

SeenPairs read_pairs(const CorpusFiles& files, int64_t fields, size_t limit = kMaxLineBytes) {
  ParallelText text(files, fields, limit);
  SeenPairs seen;
  while (text.next()) {
    EXPECT_EQ(text.line(), std::ssize(seen.lines));
    seen.lines.emplace_back(text.fields().begin(), text.fields().end());
    seen.faults.push_back(text.fault());
  }
  return seen;
}

TEST_F(ParallelTextTest, FilesAreReadSideBySide) {
  const CorpusFiles files{{folder.write("a.gz", "1\n2\n"), folder.write("b", "x\n\n")}};
  EXPECT_EQ(read_pairs(files, 2).lines, (std::vector<Sides>{{"1", "x"}, {"2", ""}}));
}

TEST_F(ParallelTextTest, ColumnsAreSides) {
  const CorpusFiles files{{folder.write("a.tsv", "1\tx\n2\t\n3\ty\tnote\n4\n\n")}, true};
  const SeenPairs seen = read_pairs(files, 2);
  EXPECT_EQ(seen.lines,
            (std::vector<Sides>{{"1", "x"}, {"2", ""}, {"3", "y"}, {"4", ""}, {"", ""}}));
  EXPECT_EQ(seen.faults[1], LineFault::kNone);
  EXPECT_EQ(seen.faults[2], LineFault::kNone);
  EXPECT_EQ(seen.faults[3], LineFault::kFewColumns);
  EXPECT_EQ(seen.faults[4], LineFault::kFewColumns);
}

TEST_F(ParallelTextTest, FaultsAreTold) {
  const CorpusFiles files{
      {folder.write("a", "fine\nGr\xFC\xDF\n" + std::string(20, 'x') + "\nfine\n"),
       folder.write("b", "fine\nfine\nfine\n\xFF\n")}};
  const SeenPairs seen = read_pairs(files, 2, 10);
  EXPECT_EQ(seen.faults, (std::vector<LineFault>{LineFault::kNone, LineFault::kBadUtf8,
                                                 LineFault::kOverLong, LineFault::kBadUtf8}));
  EXPECT_EQ(seen.lines[1], (Sides{"Gr\xEF\xBF\xBD\xEF\xBF\xBD", "fine"}));
  EXPECT_EQ(seen.lines[2], (Sides{"", "fine"}));
  EXPECT_EQ(seen.lines[3], (Sides{"fine", "\xEF\xBF\xBD"}));
}

TEST_F(ParallelTextTest, SidesOfDifferentLengthAreAnErrorWithBothCounts) {
  const std::string a = folder.write("a", "1\n2\n3\n4\n"), b = folder.write("b", "x\ny\n");
  const std::string counts = ": files of different length; expected as many lines in each, got ";
  EXPECT_EQ(message_of<FormatError>([&] {
              read_pairs({{a, b}}, 2);
            }),
            a + " + " + b + counts + "4 and 2");
  EXPECT_EQ(message_of<FormatError>([&] {
              read_pairs({{b, a}}, 2);
            }),
            b + " + " + a + counts + "2 and 4");
}

TEST_F(ParallelTextTest, TheNumberOfFilesHasToFit) {
  const std::string a = folder.write("a", "1\n");
  EXPECT_EQ(message_of<OptionError>([&] { read_pairs({{a}}, 2); }),
            a + ": expected 2 files for 2 fields, got 1");
  EXPECT_THROW(read_pairs({{a, a}, true}, 2), OptionError);
}

TEST(TrainingFiles, AreGroupedByCorpus) {
  DataOptions options;
  options.train_sets = {"a.en", "a.de", "b.en", "b.de"};
  const auto pairs = training_files(options);
  ASSERT_EQ(pairs.size(), 2);
  EXPECT_EQ(pairs[1].files, (Sides{"b.en", "b.de"}));
  EXPECT_EQ(pairs[1].name(), "b.en + b.de");
  options.tsv = true;
  EXPECT_EQ(training_files(options).size(), 4);
}

TEST(TrainingFiles, OptionsThatDoNotFitAreErrors) {
  const auto message = [](std::vector<std::string> sets, std::vector<double> weights) {
    DataOptions options;
    options.train_sets = std::move(sets);
    options.train_weights = std::move(weights);
    return message_of<OptionError>([&] { training_files(options); });
  };
  EXPECT_EQ(message({}, {}), "--train-sets: none given; expected training files");
  EXPECT_EQ(
      message({"a", "b", "c"}, {}),
      "--train-sets: expected 2 files for each corpus, source and target, got 3 files in all");
  EXPECT_EQ(message({"a", "b"}, {1, 2}), "--train-weights: expected one for each corpus: 1, got 2");
  EXPECT_EQ(message({"a", "b", "c", "d"}, {1, -1}),
            "--train-weights: out of range; expected 0 to 1000000, got -1");
  EXPECT_EQ(message({"a", "b", "c", "d"}, {0, 0}),
            "--train-weights: all are 0; expected at least one above");
}

}  // namespace
}  // namespace weft::data
