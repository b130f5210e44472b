#include "weft/data/labels/label_set.h"

#include <gmock/gmock.h>

#include "tests/data/files.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;

TEST(LabelSet, KnowsNamesAndIds) {
  const LabelSet labels({"NOUN", "Größe", "two words"}, "list");
  EXPECT_EQ(labels.size(), 3);
  EXPECT_EQ(labels.name(1), "Größe");
  EXPECT_EQ(labels.find("two words"), 2);
  EXPECT_EQ(labels.find("VERB"), -1);
  EXPECT_EQ(labels.id("NOUN", "file:1"), 0);
  EXPECT_EQ(message_of<FormatError>([&] { labels.name(3); }),
            "labels: id out of range; expected 0 to 2, got 3");
}

TEST(LabelSet, NamesWhereALabelIsUnknown) {
  const LabelSet labels({"NOUN", "VERB"}, "list");
  EXPECT_EQ(message_of<FormatError>([&] { labels.id("VREB", "dev.tsv:7"); }),
            "dev.tsv:7: the label 'VREB' is unknown; expected one of the 2 that the model has; "
            "hint: did you mean VERB?");
  EXPECT_EQ(message_of<FormatError>([&] { labels.id("a\nb", "dev.tsv:7"); }),
            "dev.tsv:7: the label 'a\\nb' is unknown; expected one of the 2 that the model has");
}

TEST(LabelSet, IsTheSameAfterLoading) {
  const LabelSet labels({"NOUN", "Größe", "two words"}, "list");
  const LabelSet again = LabelSet::load(labels.serialise(), "model");
  EXPECT_EQ(again.names(), labels.names());
  EXPECT_EQ(again.find("Größe"), 1);
  EXPECT_EQ(again.fingerprint(), labels.fingerprint());
  EXPECT_NE(LabelSet({"NOUN", "two words", "Größe"}, "list").fingerprint(), labels.fingerprint());
  EXPECT_NE(LabelSet({"NO", "UN"}, "list").fingerprint(),
            LabelSet({"NOU", "N"}, "list").fingerprint());
}

TEST(LabelSet, RefusesBytesThatAreNoList) {
  const std::string magic = "weft labels 1\n";
  const struct {
    std::string bytes, message;
  } cases[] = {
      {"", "m: not a list of labels; expected it to begin with 'weft labels 1\\n'"},
      {"weft labels 2\na\n",
       "m: not a list of labels; expected it to begin with "
       "'weft labels 1\\n'"},
      {magic, "m: no labels; expected at least one"},
      {magic + "a\nb", "m: the list of labels is cut off"},
      {magic + "a\n\n", "m: label 2 is empty"},
      {magic + "a\nb\na\n", "m: label 3 is label 1 again: 'a'"},
      {magic + "a\xFF\n", "m: label 1 is not UTF-8"},
      {magic + "a\tb\n", "m: label 1 holds a control character: 'a\\tb'"},
      {magic + std::string("a\0b\n", 4), "m: label 1 holds a control character: 'a\\x00b'"},
      {magic + std::string(4097, 'a') + "\n", "m: label 1 has 4097 bytes; expected at most 4096"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(message_of<FormatError>([&] { LabelSet::load(c.bytes, "m"); }), c.message);
  }
  std::string many = magic;
  for (size_t i = 0; i <= kMaxLabels; ++i) many += "a\n";
  EXPECT_EQ(message_of<FormatError>([&] { LabelSet::load(many, "m"); }),
            "m: expected at most 1048576 labels");
}

TEST(LabelCounter, PutsTheMostFrequentFirst) {
  LabelCounter counter;
  for (const char* label : {"c", "b", "a", "b", "d", "b", "d"}) counter.add(label);
  EXPECT_THAT(counter.labels("train.tsv").names(), ElementsAre("b", "d", "a", "c"));
  EXPECT_THAT(counter.counts(), ElementsAre(3, 2, 1, 1));
  EXPECT_EQ(message_of<FormatError>([] { LabelCounter().labels("train.tsv"); }),
            "train.tsv: no labels; expected at least one");
}

}  // namespace
}  // namespace weft::data
