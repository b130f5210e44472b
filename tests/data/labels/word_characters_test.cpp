#include "weft/data/labels/word_characters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scratch.h"
#include "weft/data/labels/labelled_corpus.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::data {
namespace {

using test::Scratch;
using testing::ElementsAre;

const LabelledTextOptions kTaggedWords = {.labels = {{.field = 1}}};

TEST(WordCharacters, StandBetweenBeginAndEndSymbols) {
  const Scratch folder;
  const std::string file = folder.file("t.tsv", "äab ä\tX Y\na a</s>\tX Y\n");
  const TokeniserPtr vocabulary = make_character_vocabulary({file}, kTaggedWords, 2);
  EXPECT_EQ(vocabulary->kind(), "character");
  // </s> 0, <unk> 1, <s> 2, the space 3, a 4, ä 5; b, <, / and > are seen once.
  EXPECT_EQ(vocabulary->size(), 6);
  const WordCharacters characters{vocabulary, 3};
  std::vector<int32_t> ids;
  characters.append("äa", ids);
  characters.append("", ids);
  characters.append("b</s", ids);
  EXPECT_THAT(ids, ElementsAre(2, 5, 4, 0, 2, 0, 2, 1, 1, 1, 0));
}

TEST(WordCharacters, AreAFieldOfEveryBatch) {
  const Scratch folder;
  const std::string file = folder.file("t.tsv", "ab a\tX Y\nb\tX\n");
  const auto sets = collect_labels({file}, kTaggedWords, InvalidTags::kRepair);
  const TokenOptions params{.max_length = 1,
                            .by_word = true,
                            .characters = {make_character_vocabulary({file}, kTaggedWords, 1)}};
  const auto words = make_plain_tokeniser(Vocabulary({"ab", "a", "b"}, "words"));
  const LabelledCorpus corpus({file}, {.text = kTaggedWords, .tokens = params}, words, sets);
  const Batch batch = corpus.batch(std::vector<int64_t>{1, 0});
  ASSERT_EQ(batch.fields.size(), 4u);
  // The second word of the first text is over --max-length.
  EXPECT_THAT(batch.tokens(3).ids, ElementsAre(2, 5, 0, 2, 4, 5, 0));
  EXPECT_THAT(batch.tokens(3).segments.offsets, ElementsAre(0, 3, 7));
  const LabelledCorpus without(
      {file}, {.text = kTaggedWords, .tokens = {.max_length = 1, .by_word = true}}, words, sets);
  EXPECT_NE(without.fingerprint(), corpus.fingerprint());
}

TEST(EncodeText, KeepsPartOfAFirstWordThatIsTooLong) {
  const auto letters = make_plain_tokeniser(Vocabulary({"a", "b", "c", " "}, "characters"));
  const std::vector<std::string_view> words{"abc", "a"};
  const EncodedText found = encode_text(*letters, {.max_length = 2, .by_word = true}, {}, words);
  EXPECT_TRUE(found.is_cropped);
  EXPECT_THAT(found.ids, ElementsAre(3, 4, 0));
  EXPECT_THAT(found.words, ElementsAre(0));
}

}  // namespace
}  // namespace weft::data
