#include "weft/data/corpus/corpus_chunk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int32_t kVocabularies[] = {10, 20};

// Two examples; their ids are an odd number in the first field, so that a zero follows.
ChunkWords two_examples() {
  ChunkBuilder builder(2);
  builder.add(3, std::vector<std::vector<int32_t>>{{5, 6, 7}, {11}});
  builder.add(8, std::vector<std::vector<int32_t>>{{}, {12, 13, 14}});
  return builder.take();
}

TEST(CorpusChunk, IsViewedAsItWasBuilt) {
  const ChunkWords words = two_examples();
  const CorpusChunk chunk = view_chunk(words, kVocabularies, "file");
  EXPECT_EQ(chunk.size(), 2);
  EXPECT_THAT(chunk.lines, ElementsAre(3, 8));
  EXPECT_THAT(chunk.fields[0].offsets, ElementsAre(0, 3, 3));
  EXPECT_THAT(chunk.fields[0].ids, ElementsAre(5, 6, 7));
  EXPECT_THAT(chunk.fields[1].offsets, ElementsAre(0, 1, 4));
  EXPECT_THAT(chunk.fields[1].ids, ElementsAre(11, 12, 13, 14));
}

TEST(CorpusChunk, OfABuilderThatWasTakenFromIsEmpty) {
  ChunkBuilder builder(2);
  builder.add(0, std::vector<std::vector<int32_t>>{{1}, {2}});
  builder.take();
  const ChunkWords words = builder.take();
  const CorpusChunk chunk = view_chunk(words, kVocabularies, "file");
  EXPECT_EQ(chunk.size(), 0);
  EXPECT_THAT(chunk.fields[1].ids, IsEmpty());
}

// Word by word: 2, lines, offsets 0 3 3, offsets 0 1 4, ids (5 6) (7 0), (11 12) (13 14).
TEST(CorpusChunk, IsNotViewedBeyondItsWords) {
  struct Case {
    std::string name;
    size_t word;
    uint64_t value;
  };
  const Case cases[] = {{"more examples", 0, 3},
                        {"fewer examples", 0, 1},
                        {"a huge number of examples", 0, uint64_t{1} << 61},
                        {"a negative number of examples", 0, ~uint64_t{0}},
                        {"an offset that does not begin at 0", 3, 1},
                        {"an offset that falls", 4, 4},
                        {"a negative offset", 4, ~uint64_t{0}},
                        {"an offset beyond the ids", 8, 1000},
                        {"a huge offset", 8, uint64_t{1} << 62},
                        {"an id beyond the vocabulary", 10, 10},
                        {"a negative id", 11, 0xFFFFFFFF}};
  for (const Case& c : cases) {
    ChunkWords words = two_examples();
    words[c.word] = c.value;
    EXPECT_EQ(test::message_of<FormatError>([&] { view_chunk(words, kVocabularies, "file"); }),
              "file: a chunk's lengths or ids do not fit; hint: the file is damaged")
        << c.name;
  }
  ChunkWords words = two_examples();
  for (size_t size = 0; size < words.size(); ++size) {
    EXPECT_THROW(view_chunk(std::span(words).first(size), kVocabularies, "file"), FormatError);
  }
  words.push_back(0);
  EXPECT_THROW(view_chunk(words, kVocabularies, "file"), FormatError);
}

}  // namespace
}  // namespace weft::data
