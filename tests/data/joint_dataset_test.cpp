#include "weft/data/joint_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/data/labels/labelled_corpus.h"
#include "weft/data/labels/numbers.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::data {
namespace {

using testing::ElementsAre;

const LabelledTextOptions kClassified = {.text_field = 1,
                                         .labels = {{.field = 0, .is_of_line = true}}};

// </s> 0, <unk> 1, <s> 2, then the words.
TokeniserPtr tokeniser_of(const std::vector<std::string>& words) {
  return make_plain_tokeniser(Vocabulary(words, "words"));
}

class TextWithAndWithoutLabels : public testing::Test {
 protected:
  std::shared_ptr<const LabelledCorpus> read(const std::vector<std::string>& words,
                                             bool has_labels = true) {
    LabelledCorpusOptions options{.text = kClassified};
    if (!has_labels) options.text.labels.clear();
    return std::make_shared<const LabelledCorpus>(
        std::vector{labelled_}, options, tokeniser_of(words),
        has_labels ? std::vector{LabelSet({"x", "y"}, "labels")} : std::vector<LabelSet>(),
        std::vector{lines_});
  }

  test::Scratch folder_;
  std::string labelled_ = folder_.file("t.tsv", "y\ta\nx\tb b\n");
  std::string lines_ = folder_.file("lines.txt", "c\n\n \na b\r\n");
};

TEST_F(TextWithAndWithoutLabels, HasLabelledExamplesFirstInABatch) {
  const auto corpus = read({"a", "b", "c"});
  EXPECT_EQ(corpus->size(), 4);
  EXPECT_EQ(corpus->labelled(), 2);
  EXPECT_EQ(corpus->report(),
            labelled_ + " + " + lines_ + ": 4 examples, 2 without labels; tokens 10, unknown 0 %");
  const Batch batch = corpus->batch(std::vector<int64_t>{3, 1, 2, 0});
  EXPECT_THAT(batch.examples, ElementsAre(1, 0, 3, 2));
  EXPECT_THAT(batch.tokens(0).ids, ElementsAre(4, 4, 0, 3, 0, 3, 4, 0, 5, 0));
  const auto& labels = std::get<Labels>(batch.fields[1]);
  EXPECT_THAT(labels.ids, ElementsAre(0, 1));
  EXPECT_THAT(labels.segments.offsets, ElementsAre(0, 1, 2, 2, 2));
}

TEST_F(TextWithAndWithoutLabels, HasNumbersOfTheFirst) {
  NumberTable table{.texts = LabelSet({"x", "y"}, "labels"),
                    .values = {1, 2, 3, 4},
                    .width = 2,
                    .statistics = {}};
  const NumberedExamples numbered(read({"a", "b", "c"}), table);
  EXPECT_EQ(numbered.labelled(), 2);
  EXPECT_THAT(numbered.numbers(), ElementsAre(3, 4, 1, 2));
  const auto labels = std::get<Labels>(numbered.batch(std::vector<int64_t>{3, 1, 0}).fields[1]);
  EXPECT_THAT(labels.values, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(labels.segments.offsets, ElementsAre(0, 2, 4, 4));
}

TEST_F(TextWithAndWithoutLabels, IsNotThatOfOtherLabels) {
  const uint64_t before = read({"a", "b", "c"})->fingerprint();
  EXPECT_EQ(read({"a", "b", "c"})->fingerprint(), before);
  folder_.file("lines.txt", "c\n");
  EXPECT_NE(read({"a", "b", "c"})->fingerprint(), before);
}

TEST_F(TextWithAndWithoutLabels, MayBePairs) {
  LabelledCorpusOptions options{.text = {.text_field = 1, .pair_field = 2, .labels = {}}};
  const auto read_pairs = [&](const std::string& text) {
    return LabelledCorpus({}, options, tokeniser_of({"a", "b"}), {},
                          {folder_.file("pairs.txt", text)});
  };
  const Batch batch = read_pairs("a\tb b\n").batch(std::vector<int64_t>{0});
  EXPECT_THAT(batch.tokens(0).ids, ElementsAre(3, 0, 4, 4, 0));
  EXPECT_THAT(batch.tokens(0).types, ElementsAre(0, 0, 1, 1, 1));
  EXPECT_EQ(test::message_of<FormatError>([&] { read_pairs("a\tb\na b\n"); }),
            folder_.path("pairs.txt") + ":2: expected two texts with a tab between them");
}

TEST_F(TextWithAndWithoutLabels, NamesTheFaultOfALine) {
  folder_.file("lines.txt", "a\nb\xff\n");
  EXPECT_EQ(test::message_of<FormatError>([&] { read({"a"}); }),
            lines_ + ":2: is not UTF-8; expected text");
}

TEST_F(TextWithAndWithoutLabels, IsReadByTwoModels) {
  const auto first = read({"a", "b", "c"}), second = read({"c", "b", "a"}, false);
  const JointDataset joint(first, second, "teacher");
  EXPECT_EQ(joint.size(), 4);
  EXPECT_EQ(joint.cost(1).rows, 3);
  const Batch batch = joint.batch(std::vector<int64_t>{2, 0});
  const JointBatch parts = split_joint(batch, 2);
  EXPECT_THAT(parts.first.examples, ElementsAre(0, 2));
  EXPECT_THAT(parts.first.tokens(0).ids, ElementsAre(3, 0, 5, 0));
  EXPECT_THAT(parts.second.tokens(0).ids, ElementsAre(5, 0, 3, 0));
  EXPECT_EQ(parts.second.fields.size(), 1u);
  EXPECT_NE(joint.fingerprint(), JointDataset(first, first, "teacher").fingerprint());
  folder_.file("lines.txt", "c\n");
  EXPECT_EQ(
      test::message_of<FormatError>([&] { JointDataset(first, read({"a"}, false), "teacher"); }),
      "teacher: 4 examples for one model and 3 for the other; expected as many");
}

}  // namespace
}  // namespace weft::data
