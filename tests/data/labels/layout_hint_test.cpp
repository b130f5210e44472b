#include "weft/data/labels/layout_hint.h"

#include <gtest/gtest.h>

namespace weft::data {
namespace {

TEST(HasKnownLabels, LooksAtTheFieldsOfTheTraining) {
  const LabelSet tags({"X", "Y"}, "tags"), intents({"ask", "say it"}, "intents");
  const std::vector<LabelSet> one = {tags}, both = {tags, intents};
  const LabelledFields conll{.format = "conll", .text = 0, .word_labels = {2}};
  EXPECT_TRUE(has_known_labels("w 7 X", conll, one));
  EXPECT_TRUE(has_known_labels("two words\t7\tY\tmore\r", conll, one));
  EXPECT_FALSE(has_known_labels("w X 7", conll, one));
  EXPECT_FALSE(has_known_labels("w 7", conll, one));
  EXPECT_FALSE(has_known_labels("", conll, one));
  const LabelledFields conllu{.format = "conllu", .text = 1, .word_labels = {3}};
  EXPECT_TRUE(has_known_labels("1\tw\t_\tY", conllu, one));
  EXPECT_FALSE(has_known_labels("1 w _ Y", conllu, one));
  EXPECT_FALSE(has_known_labels("1-2\tw\t_\t_", conllu, one));
  const LabelledFields tsv{.format = "tsv", .text = 0, .word_labels = {1}, .text_labels = {2}};
  EXPECT_TRUE(has_known_labels("v w\tX Y\tsay it", tsv, both));
  EXPECT_FALSE(has_known_labels("v w\tX\tsay it", tsv, both));
  EXPECT_FALSE(has_known_labels("v w\tX Z\tsay it", tsv, both));
  EXPECT_FALSE(has_known_labels("v w\tX Y\tshout", tsv, both));
  EXPECT_FALSE(has_known_labels("v w X Y ask", tsv, both));
  EXPECT_FALSE(has_known_labels("X\tv", {.format = "first-word", .text_labels = {0}}, one));
  EXPECT_FALSE(has_known_labels("w X", {}, {}));
}

}  // namespace
}  // namespace weft::data
