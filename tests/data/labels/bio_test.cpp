#include "weft/data/labels/bio.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "tests/data/files.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using Tags = std::vector<std::string>;

std::string where(int64_t word) { return fmt::format("train.txt:{}", word + 10); }

TEST(Bio, IsRepairedWhereASpanBeginsWithI) {
  Tags tags{"I-A", "I-A", "I-B", "O", "I-B", "B-A", "I-A"};
  EXPECT_EQ(fix_bio(tags, InvalidTags::kRepair, where), 3);
  EXPECT_THAT(tags, ElementsAre("B-A", "I-A", "B-B", "O", "B-B", "B-A", "I-A"));
  EXPECT_EQ(fix_bio(tags, InvalidTags::kRefuse, where), 0);
}

TEST(Bio, IsRefusedWithTheWordsPlace) {
  const auto refuse = [](Tags tags) { fix_bio(tags, InvalidTags::kRefuse, where); };
  EXPECT_EQ(message_of<FormatError>([&] {
              refuse({"O", "I-A"});
            }),
            "train.txt:11: 'I-A' follows 'O'; expected B-A or I-A before it");
  EXPECT_EQ(message_of<FormatError>([&] { refuse({"I-A"}); }),
            "train.txt:10: 'I-A' follows nothing; expected B-A or I-A before it");
  EXPECT_EQ(message_of<FormatError>([&] {
              refuse({"B-A", "I-A", "I-B"});
            }),
            "train.txt:12: 'I-B' follows 'I-A'; expected B-B or I-B before it");
}

TEST(Bio, IsKeptWhereThatIsAsked) {
  Tags tags{"O", "I-A"};
  EXPECT_EQ(fix_bio(tags, InvalidTags::kKeep, where), 0);
  EXPECT_THAT(tags, ElementsAre("O", "I-A"));
}

TEST(Bio, RulesHaveNames) {
  EXPECT_EQ(invalid_tags_named("repair"), InvalidTags::kRepair);
  EXPECT_EQ(invalid_tags_named("refuse"), InvalidTags::kRefuse);
  EXPECT_EQ(invalid_tags_named("keep"), InvalidTags::kKeep);
  EXPECT_EQ(message_of<OptionError>([] { invalid_tags_named("mend"); }),
            "invalid tags: expected repair, refuse or keep, got 'mend'");
}

TEST(Scheme, IsToldByTheLabels) {
  const auto is_bio = [](const Tags& labels) { return is_scheme(labels, TagScheme::kBio); };
  EXPECT_TRUE(is_bio({"O", "B-A", "I-A"}));
  EXPECT_TRUE(is_bio({"B-A"}));
  EXPECT_FALSE(is_bio({"O"}));
  EXPECT_FALSE(is_bio({"O", "B-A", "E-A"}));
  EXPECT_FALSE(is_bio({"B-A", "B"}));
  EXPECT_FALSE(is_bio({"NOUN", "O"}));
  EXPECT_TRUE(is_scheme(Tags{"O", "S-A", "E-A"}, TagScheme::kIobes));
}

TEST(Scheme, IsConvertedThereAndBack) {
  const Tags bio{"B-A", "O", "B-A", "I-A", "B-B", "I-B", "I-B", "B-B"};
  const Tags iobes{"S-A", "O", "B-A", "E-A", "B-B", "I-B", "E-B", "S-B"};
  EXPECT_EQ(to_scheme(bio, TagScheme::kIobes), iobes);
  EXPECT_EQ(to_scheme(iobes, TagScheme::kBio), bio);
  EXPECT_EQ(to_scheme(bio, TagScheme::kBio), bio);
  EXPECT_EQ(to_scheme(Tags{}, TagScheme::kBio), Tags{});
}

}  // namespace
}  // namespace weft::data
