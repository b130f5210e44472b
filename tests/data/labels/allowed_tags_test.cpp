#include "weft/data/labels/allowed_tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace weft::data {
namespace {

using testing::ElementsAre;

TEST(AllowedTags, FollowBio) {
  const std::vector<std::string> labels{"O", "B-A", "I-A", "I-B"};
  const AllowedTags allowed = allowed_tags(labels, TagScheme::kBio);
  EXPECT_THAT(allowed.start, ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(allowed.end, ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(allowed.transitions, ElementsAre(1, 1, 0, 0,    // O
                                               1, 1, 1, 0,    // B-A
                                               1, 1, 1, 0,    // I-A
                                               1, 1, 0, 1));  // I-B
}

TEST(AllowedTags, FollowIobes) {
  const std::vector<std::string> labels{"O", "B-A", "I-A", "E-A", "S-A", "E-B"};
  const AllowedTags allowed = allowed_tags(labels, TagScheme::kIobes);
  EXPECT_THAT(allowed.start, ElementsAre(1, 1, 0, 0, 1, 0));
  EXPECT_THAT(allowed.end, ElementsAre(1, 0, 0, 1, 1, 1));
  EXPECT_THAT(allowed.transitions, ElementsAre(1, 1, 0, 0, 1, 0,    // O
                                               0, 0, 1, 1, 0, 0,    // B-A
                                               0, 0, 1, 1, 0, 0,    // I-A
                                               1, 1, 0, 0, 1, 0,    // E-A
                                               1, 1, 0, 0, 1, 0,    // S-A
                                               1, 1, 0, 0, 1, 0));  // E-B
}

// Every allowed sequence encodes the same spans in strict and in lenient mode.
TEST(AllowedTags, GiveWellFormedSequences) {
  const std::vector<std::string> labels{"O", "B-A", "I-A", "E-A", "S-A", "B-B", "E-B"};
  for (const TagScheme scheme : {TagScheme::kBio, TagScheme::kIobes}) {
    const size_t count = scheme == TagScheme::kBio ? 3 : labels.size();
    const std::vector<std::string> some(labels.begin(), labels.begin() + count);
    const AllowedTags allowed = allowed_tags(some, scheme);
    int well_formed = 0;
    for (size_t code = 0; code < count * count * count; ++code) {
      const size_t path[] = {code % count, code / count % count, code / count / count};
      const bool is_allowed = allowed.start[path[0]] && allowed.end[path[2]] &&
                              allowed.transitions[path[0] * count + path[1]] &&
                              allowed.transitions[path[1] * count + path[2]];
      const std::vector<std::string_view> tags{some[path[0]], some[path[1]], some[path[2]]};
      const auto spans = strict_tag_spans(tags, scheme);
      const auto again = tags_of(spans, 3, scheme);
      EXPECT_EQ(is_allowed, std::ranges::equal(tags, again)) << code;
      well_formed += is_allowed ? 1 : 0;
    }
    EXPECT_GT(well_formed, 5);
  }
}

}  // namespace
}  // namespace weft::data
