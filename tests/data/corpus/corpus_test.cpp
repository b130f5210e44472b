#include "weft/data/corpus/corpus.h"

#include "tests/data/files.h"
#include "tests/support/kept_threads.h"
#include "weft/core/error.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::data {
namespace {

using Ids = std::vector<int32_t>;

class CorpusTest : public ::testing::Test {
 protected:
  CorpusTest()
      : words(make_plain_tokeniser(Vocabulary::from_list("a\nb\nc\n", "v"))), both{words, words} {}

  std::string word(const Corpus& corpus, int64_t field, int64_t example) {
    return words->decode(corpus.ids(field, example));
  }

  TempFolder folder;
  TokeniserPtr words;
  std::vector<TokeniserPtr> both;
};

TEST_F(CorpusTest, KeepsEveryGoodPairInOrder) {
  const CorpusFiles files{
      {folder.write("s", "a b\nb\nz a\n"), folder.write("t.gz", "a\nb b\nc\n")}};
  const Corpus corpus({files}, both, {});
  ASSERT_EQ(corpus.size(), 3);
  EXPECT_EQ(word(corpus, 0, 0), "a b");
  EXPECT_EQ(word(corpus, 1, 1), "b b");
  EXPECT_EQ(word(corpus, 0, 2), "<unk> a");
  EXPECT_EQ(corpus.length(0, 2), 2);
  EXPECT_EQ(corpus.reports()[0].text(),
            files.name() + ": 3 lines, 3 kept; tokens 5 + 4, unknown 20 % + 0 %");
}

// One line of each fault; the first and the last are good.
struct Faulty {
  std::string source = "a\n\nGr\xFC\xDF\n" + std::string(100, 'x') + "\na a a a\nb\n";
  std::string target = "a\nb\nb\nb\nb\nb\n";
};

TEST_F(CorpusTest, LeavesOutFaultyPairsAndCountsThem) {
  const CorpusFiles files{{folder.write("s", Faulty().source), folder.write("t", Faulty().target)}};
  const Corpus corpus({files}, both, {.max_lengths = {3, 3}, .max_line_bytes = 50});
  ASSERT_EQ(corpus.size(), 2);
  EXPECT_EQ(corpus.line(0), 0);
  EXPECT_EQ(corpus.line(1), 5);
  const CorpusReport& report = corpus.reports()[0];
  EXPECT_EQ(report.lines, 6);
  EXPECT_EQ(report.kept, 2);
  EXPECT_EQ(report.faults(), 4);
  EXPECT_EQ(report.text(),
            files.name() +
                ": 6 lines, 2 kept (1 empty, 1 too long, 1 not UTF-8, 1 over the limit "
                "in bytes); tokens 2 + 2, unknown 0 % + 0 %");
}

TEST_F(CorpusTest, CropsWhereAsked) {
  const CorpusFiles files{{folder.write("s", "a b c a\na\n"), folder.write("t", "a\na b c a b\n")}};
  const Corpus corpus({files}, both, {.max_lengths = {3, 3}, .crop = true});
  ASSERT_EQ(corpus.size(), 2);
  EXPECT_EQ(word(corpus, 0, 0), "a b c");
  EXPECT_EQ(word(corpus, 1, 1), "a b c");
  EXPECT_EQ(corpus.reports()[0].cropped, 2);
}

TEST_F(CorpusTest, CropsEachFieldToItsOwnLimit) {
  const CorpusFiles files{{folder.write("s", "a b c a\na\n"), folder.write("t", "a\na b c a b\n")}};
  const Corpus corpus({files}, both, {.max_lengths = {2}, .crop = true});
  ASSERT_EQ(corpus.size(), 2);
  EXPECT_EQ(word(corpus, 0, 0), "a b");
  EXPECT_EQ(word(corpus, 1, 1), "a b c a b");
  EXPECT_EQ(corpus.reports()[0].cropped, 1);
}

TEST_F(CorpusTest, KeepsAllLinesWhereAsked) {
  const CorpusFiles files{{folder.write("s", Faulty().source), folder.write("t", Faulty().target)}};
  const Corpus corpus({files}, both,
                      {.max_lengths = {3, 3}, .keep_all = true, .max_line_bytes = 50});
  ASSERT_EQ(corpus.size(), 6);
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(corpus.line(i), i);
  EXPECT_EQ(corpus.length(0, 1), 0);
  EXPECT_EQ(word(corpus, 0, 2), "<unk>");
  EXPECT_EQ(corpus.length(0, 3), 0);
  EXPECT_EQ(word(corpus, 0, 4), "a a a");
  EXPECT_EQ(corpus.reports()[0].text(),
            files.name() +
                ": 6 lines, 6 kept (1 empty, 1 cropped, 1 not UTF-8, 1 over the limit in "
                "bytes); tokens 6 + 6, unknown 16.7 % + 0 %");
}

TEST_F(CorpusTest, HoldsSeveralCorpora) {
  const Corpus corpus({{{folder.write("a", "a\n\nb\n"), folder.write("b", "a\nb\nb\n")}},
                       {{folder.write("c", "c\n"), folder.write("d", "c\n")}}},
                      both, {});
  const std::vector<Part> parts = corpus.parts();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].end, 2);
  EXPECT_EQ(parts[1].begin, 2);
  EXPECT_EQ(parts[1].end, 3);
  EXPECT_EQ(corpus.line(2), 0);
  EXPECT_EQ(word(corpus, 1, 2), "c");
}

TEST_F(CorpusTest, NothingUsableIsAnError) {
  const std::string empty = folder.write("empty", ""), blank = folder.write("blank", "\n\n");
  EXPECT_EQ(message_of<FormatError>([&] {
              Corpus({{{empty, empty}}}, both, {});
            }),
            empty + " + " + empty + ": no usable line; expected at least one, got 0 lines, 0 kept");
  EXPECT_EQ(message_of<FormatError>([&] {
              Corpus({{{blank, blank}}}, both, {});
            }),
            blank + " + " + blank +
                ": no usable line; expected at least one, got 2 lines, 0 kept (2 empty)");
  const std::string words_only = folder.write("one.tsv", "a\nb\n");
  EXPECT_EQ(message_of<FormatError>([&] {
              Corpus({{{words_only}, true}}, both, {});
            }),
            words_only +
                ": no usable line; expected at least one, got 2 lines, 0 kept (2 with too "
                "few columns)");
  EXPECT_THROW(Corpus({{{empty, empty}}}, both, {.keep_all = true}), FormatError);
}

TEST_F(CorpusTest, IsTheSameOnAnyNumberOfThreads) {
  std::string source, target;
  for (int i = 0; i < 40000; ++i) {
    source += std::string("a b c z").substr(0, i % 8) + "\n";
    target += std::string(i % 3 == 0 ? "a c" : "b") + "\n";
  }
  const CorpusFiles files{{folder.write("s", source), folder.write("t", target)}};
  const test::KeptThreads kept;
  set_threads(1);
  const Corpus one({files}, both, {.max_lengths = {3, 3}});
  set_threads(3);
  const Corpus three({files}, both, {.max_lengths = {3, 3}});
  ASSERT_EQ(one.size(), three.size());
  EXPECT_EQ(one.reports()[0].text(), three.reports()[0].text());
  for (int64_t i = 0; i < one.size(); ++i) {
    ASSERT_TRUE(std::ranges::equal(one.ids(0, i), three.ids(0, i)));
    ASSERT_EQ(one.line(i), three.line(i));
  }
}

class Throwing : public WordTokeniser {
 public:
  using WordTokeniser::WordTokeniser;
  std::vector<int32_t> encode(std::string_view line) const override {
    if (line == "boom") fail<FormatError>("tokeniser", "boom");
    return WordTokeniser::encode(line);
  }
};

TEST_F(CorpusTest, AnErrorWhileEncodingComesThrough) {
  const auto throwing = std::make_shared<Throwing>(Vocabulary::from_list("a\n", "v"));
  const CorpusFiles files{{folder.write("s", "a\nboom\na\n")}};
  EXPECT_EQ(message_of<FormatError>([&] { Corpus({files}, {throwing}, {}); }), "tokeniser: boom");
}

TEST_F(CorpusTest, BatchesArePackedAndEndWithTheEndSymbol) {
  const CorpusFiles files{{folder.write("s", "a b\nc\n\n"), folder.write("t", "c\nb b b\na\n")}};
  const Corpus corpus({files}, both, {.keep_all = true});
  const std::vector<int64_t> sentences = {1, 2, 0};
  const Batch batch = corpus.batch(sentences);
  EXPECT_EQ(batch.examples, sentences);
  EXPECT_EQ(batch.size(), 3);
  EXPECT_EQ(batch.source().ids, (Ids{5, 0, 0, 3, 4, 0}));
  EXPECT_EQ(batch.source().segments.offsets, (Ids{0, 2, 3, 6}));
  EXPECT_EQ(batch.target().ids, (Ids{4, 4, 4, 0, 3, 0, 5, 0}));
  EXPECT_EQ(batch.target().examples(), 3);
  EXPECT_EQ(batch.target().rows(), 8);
}

}  // namespace
}  // namespace weft::data
