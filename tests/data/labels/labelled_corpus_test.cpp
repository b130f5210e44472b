#include "weft/data/labels/labelled_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/subwords/golden_tokenisers.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::data {
namespace {

using test::Scratch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// </s> 0, <unk> 1, <s> 2, a 3, b 4, c 5, the space 6.
TokeniserPtr words() { return make_plain_tokeniser(Vocabulary({"a", "b", "c"}, "words")); }
TokeniserPtr characters() {
  return make_plain_tokeniser(Vocabulary({"a", "b", "c", " "}, "characters"));
}

const LabelledTextOptions kTagged = {.labels = {{.field = 1}}};

Labels labels_in(const Batch& batch, size_t field) { return std::get<Labels>(batch.fields[field]); }

TEST(LabelledCorpus, HasTokensLabelsAndTheFirstTokenOfEachWord) {
  const Scratch folder;
  const std::string file = folder.file("t.tsv", "ab c\tB-X O\nd a b\tO B-X I-X\n");
  const auto sets = collect_labels({file}, kTagged, InvalidTags::kRepair);
  const LabelledCorpus corpus({file}, {.text = kTagged, .tokens = {.by_word = true}}, characters(),
                              sets);
  ASSERT_EQ(corpus.size(), 2);
  EXPECT_EQ(corpus.cost(0).rows, 4);
  const Batch batch = corpus.batch(std::vector<int64_t>{1, 0});
  EXPECT_THAT(batch.examples, ElementsAre(1, 0));
  EXPECT_THAT(batch.tokens(0).ids, ElementsAre(1, 3, 4, 0, 3, 4, 5, 0));
  EXPECT_THAT(batch.tokens(0).segments.offsets, ElementsAre(0, 4, 8));
  const int32_t b = sets[0].find("B-X"), i = sets[0].find("I-X"), o = sets[0].find("O");
  EXPECT_THAT(labels_in(batch, 1).ids, ElementsAre(o, b, i, b, o));
  EXPECT_THAT(labels_in(batch, 1).segments.offsets, ElementsAre(0, 3, 5));
  EXPECT_THAT(labels_in(batch, 2).ids, ElementsAre(0, 1, 2, 0, 2));
}

TEST(LabelledCorpus, CropsAtWholeWordsAndTheirLabels) {
  const Scratch folder;
  const std::string file = folder.file("t.tsv", "a abc b\tX Y X\n");
  const auto sets = collect_labels({file}, kTagged, InvalidTags::kRepair);
  const LabelledCorpus corpus(
      {file}, {.text = kTagged, .tokens = {.max_length = 3, .by_word = true, .with_begin = true}},
      characters(), sets);
  const Batch batch = corpus.batch(std::vector<int64_t>{0});
  EXPECT_THAT(batch.tokens(0).ids, ElementsAre(2, 3, 0));
  EXPECT_THAT(labels_in(batch, 1).ids, ElementsAre(sets[0].find("X")));
  EXPECT_THAT(labels_in(batch, 2).ids, ElementsAre(1));
  EXPECT_THAT(corpus.report(), HasSubstr("1 example; tokens 3, unknown 0 %; 1 cropped"));
}

constexpr LabelField kLineLabel = {.field = 0, .is_of_line = true};

TEST(LabelledCorpus, HasPairsOfTextsWithTypes) {
  const Scratch folder;
  const LabelledTextOptions options = {.text_field = 1, .pair_field = 2, .labels = {kLineLabel}};
  const std::string file = folder.file("t.tsv", "x\ta b\tc\ny\tc\ta a\n");
  const auto sets = collect_labels({file}, options, InvalidTags::kKeep);
  const LabelledCorpus corpus({file}, {.text = options, .tokens = {.with_begin = true}}, words(),
                              sets);
  const Batch batch = corpus.batch(std::vector<int64_t>{0, 1});
  EXPECT_THAT(batch.tokens(0).ids, ElementsAre(2, 3, 4, 0, 5, 0, 2, 5, 0, 3, 3, 0));
  EXPECT_THAT(batch.tokens(0).types, ElementsAre(0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1));
  EXPECT_THAT(slice(batch, 1, 2).tokens(0).types, ElementsAre(0, 0, 0, 1, 1, 1));
}

TEST(LabelledCorpus, NamesTheLineWithoutASecondText) {
  const Scratch folder;
  const LabelledTextOptions options = {.text_field = 1, .pair_field = 2, .labels = {kLineLabel}};
  const std::string empty = folder.file("t.tsv", "x\ta\tb\nx\ta\t \n"),
                    one = folder.file("u.tsv", "x\ta\n");
  const auto collect = [&](const std::string& file) {
    collect_labels({file}, options, InvalidTags::kKeep);
  };
  EXPECT_THAT([&] { collect(empty); },
              ThrowsMessage<FormatError>(HasSubstr("t.tsv:2: no second text; expected two")));
  EXPECT_THAT([&] { collect(one); },
              ThrowsMessage<FormatError>(HasSubstr("too few columns; expected 3")));
}

TEST(EncodePair, CutsTheLongerTextFirst) {
  const auto cut = [](int64_t most, std::string_view first, std::string_view second) {
    return encode_pair(*words(), {.max_length = most}, first, second);
  };
  EXPECT_THAT(cut(7, "a a a", "b b b").ids, ElementsAre(3, 3, 3, 0, 4, 4, 4, 0));
  EXPECT_FALSE(cut(7, "a a a", "b b b").is_cropped);
  const EncodedText odd = cut(4, "a a a", "b b b");  // a symbol more than of one text: 3 tokens
  EXPECT_THAT(odd.ids, ElementsAre(3, 3, 0, 4, 0));
  EXPECT_THAT(odd.types, ElementsAre(0, 0, 0, 1, 1));
  EXPECT_TRUE(odd.is_cropped);
  EXPECT_THAT(cut(5, "a", "b b b b b").ids, ElementsAre(3, 0, 4, 4, 4, 0));
  EXPECT_THAT(cut(5, "a a a a", "b").ids, ElementsAre(3, 3, 3, 0, 4, 0));
  EXPECT_THAT(cut(1, "a", "b").ids, ElementsAre(0, 0));
}

TEST(EncodePair, PutsTheSymbolsOfTheTokeniserAroundTexts) {
  const SubwordTokeniserPtr bert = golden_tokeniser("bert"), roberta = golden_tokeniser("roberta");
  const EncodedText two = encode_pair(*bert, {.with_begin = true}, "a", "b");
  const Encoding expected = bert->encode_pair("a", "b", {.add_special = true});
  EXPECT_EQ(two.ids, expected.ids);
  EXPECT_EQ(two.types, expected.types);
  EXPECT_EQ(encode_pair(*roberta, {.with_begin = true}, "a", "b").ids,
            roberta->encode_pair("a", "b", {.add_special = true}).ids);
}

TEST(LabelledCorpus, HasTheLabelsOfALineInOrder) {
  const Scratch folder;
  const LabelledTextOptions options = {
      .text_field = 1, .labels = {{.field = 0, .is_of_line = true, .separators = " "}}};
  const std::string file = folder.file("t.tsv", "x\ta\ny x\tb c\n");
  const auto sets = collect_labels({file}, options, InvalidTags::kKeep);
  const LabelledCorpus corpus({file}, {.text = options}, words(), sets);
  EXPECT_THAT(corpus.labels(1, 0), ElementsAre(0, 1));
  EXPECT_EQ(corpus.words(1), 0);
  EXPECT_EQ(corpus.batch(std::vector<int64_t>{0, 1}).fields.size(), 2u);
}

TEST(LabelledCorpus, RepairsMisplacedTagsAndCountsThem) {
  const Scratch folder;
  const std::string file = folder.file("t.tsv", "a b\tO I-X\na b\tB-X I-X\n");
  const auto sets = collect_labels({file}, kTagged, InvalidTags::kRepair);
  const LabelledCorpus corpus({file}, {.text = kTagged, .tokens = {.by_word = true}}, words(),
                              sets);
  EXPECT_EQ(sets[0].name(corpus.labels(0, 0)[1]), "B-X");
  EXPECT_THAT(corpus.report(), HasSubstr("1 invalid BIO tags repaired"));
}

TEST(LabelledCorpus, NamesTheLineOfALabelThatTrainingNeverSaw) {
  const Scratch folder;
  const std::string train = folder.file("train.tsv", "a\tX\n"),
                    test = folder.file("test.tsv", "a\tX\nb\tZ\n");
  const auto sets = collect_labels({train}, kTagged, InvalidTags::kRepair);
  EXPECT_THAT(
      [&] {
        LabelledCorpus({test}, {.text = kTagged, .tokens = {.by_word = true}}, words(), sets);
      },
      ThrowsMessage<FormatError>(HasSubstr("test.tsv:2")));
}

TEST(LabelledCorpus, HasAnotherFingerprintForOtherLabels) {
  const Scratch folder;
  const std::string one = folder.file("1", "a b\tX Y\n"), other = folder.file("2", "a b\tY X\n");
  const auto sets = collect_labels({one}, kTagged, InvalidTags::kRepair);
  const LabelledCorpusOptions options = {.text = kTagged, .tokens = {.by_word = true}};
  const LabelledCorpus a({one}, options, words(), sets), b({other}, options, words(), sets),
      again({one}, options, words(), sets);
  EXPECT_EQ(a.fingerprint(), again.fingerprint());
  EXPECT_NE(a.fingerprint(), b.fingerprint());
}

}  // namespace
}  // namespace weft::data
