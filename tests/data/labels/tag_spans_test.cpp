#include "weft/data/labels/tag_spans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Views = std::vector<std::string_view>;

TEST(Tag, IsAPrefixAndAType) {
  const struct {
    std::string_view tag, prefix, type;
  } cases[] = {{"B-LOC", "B", "LOC"},  {"O", "O", "_"},   {"B-a-b", "B", "a-b"},
               {"B", "B", "_"},        {"I-", "I", "_"},  {"NOUN", "N", "OUN"},
               {"", "", "_"},          {"É-x", "É", "x"}, {"BX-y", "B", "y"},
               {"\xFF-x", "\xFF", "x"}};
  for (const auto& c : cases) {
    EXPECT_EQ(parse_tag(c.tag).prefix, c.prefix) << c.tag;
    EXPECT_EQ(parse_tag(c.tag).type, c.type) << c.tag;
  }
}

TEST(TagSpans, AreFoundInAnyTags) {
  EXPECT_THAT(tag_spans(Views{"B-A", "I-A", "O", "I-B", "I-A"}),
              ElementsAre(TagSpan{0, 2, "A"}, TagSpan{3, 4, "B"}, TagSpan{4, 5, "A"}));
  EXPECT_THAT(tag_spans(Views{"B-A", "B-A"}), ElementsAre(TagSpan{0, 1, "A"}, TagSpan{1, 2, "A"}));
  EXPECT_THAT(tag_spans(Views{"S-A", "B-A", "E-A", "E-A"}),
              ElementsAre(TagSpan{0, 1, "A"}, TagSpan{1, 3, "A"}, TagSpan{3, 4, "A"}));
  EXPECT_THAT(tag_spans({}), IsEmpty());
  EXPECT_THAT(tag_spans(Views{"O", "O"}), IsEmpty());
}

TEST(TagSpans, AreWellFormedInStrictMode) {
  EXPECT_THAT(strict_tag_spans(Views{"I-A", "B-A", "I-A", "I-B", "B-B", "I-A"}, TagScheme::kBio),
              ElementsAre(TagSpan{1, 3, "A"}, TagSpan{4, 5, "B"}));
  EXPECT_THAT(
      strict_tag_spans(Views{"B-A", "I-A", "S-A", "B-A", "E-A", "E-A", "B-A"}, TagScheme::kIobes),
      ElementsAre(TagSpan{2, 3, "A"}, TagSpan{3, 5, "A"}));
  EXPECT_EQ(test::message_of<FormatError>([] {
              strict_tag_spans(Views{"O", "E-A"}, TagScheme::kBio);
            }),
            "tags: expected tags that begin with one of BIO, got 'E-A'");
}

TEST(TagSpans, AreWrittenInEitherScheme) {
  const std::vector<TagSpan> spans{{1, 2, "A"}, {2, 5, "B"}};
  EXPECT_THAT(tags_of(spans, 6, TagScheme::kBio),
              ElementsAre("O", "B-A", "B-B", "I-B", "I-B", "O"));
  EXPECT_THAT(tags_of(spans, 6, TagScheme::kIobes),
              ElementsAre("O", "S-A", "B-B", "I-B", "E-B", "O"));
}

}  // namespace
}  // namespace weft::data
