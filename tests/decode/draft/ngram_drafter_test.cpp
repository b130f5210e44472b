#include "weft/decode/draft/ngram_drafter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::decode {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Ids = std::vector<int32_t>;

TEST(NgramDrafter, CopiesWhatFollowsTheLastNgramEarlier) {
  const Request request{.source = {}, .prompt = {1, 2, 3, 4, 5, 6}};
  EXPECT_THAT(ngram_draft(request, Ids{9, 2, 3}, 2), ElementsAre(4, 5));
  EXPECT_THAT(ngram_draft(request, Ids{9, 2, 3}, 6), ElementsAre(4, 5, 6, 9, 2, 3));
  EXPECT_THAT(ngram_draft(request, Ids{7, 8, 9, 7, 8}, 2), ElementsAre(9, 7));  // of the target
  EXPECT_THAT(ngram_draft(request, Ids{9, 3}, 2), IsEmpty());  // one token alone recurs by chance
  EXPECT_THAT(ngram_draft(request, Ids{}, 2), IsEmpty());
  EXPECT_THAT(ngram_draft({}, Ids{}, 2), IsEmpty());
}

TEST(NgramDrafter, PrefersTheLongestNgramAndOfThoseTheLast) {
  const Request request{.source = {}, .prompt = {1, 2, 3, 20, 2, 3, 21, 2, 3, 22, 5}};
  EXPECT_THAT(ngram_draft(request, Ids{2, 3}, 1), ElementsAre(22));
  EXPECT_THAT(ngram_draft(request, Ids{1, 2, 3}, 1), ElementsAre(20));
}

TEST(NgramDrafter, GoesOnWithWhatRepeatsItself) {
  const Request request{.source = {}, .prompt = {9, 4, 5, 6, 4, 5, 6}};
  EXPECT_THAT(ngram_draft(request, {}, 7), ElementsAre(4, 5, 6, 4, 5, 6, 4));
}

TEST(NgramDrafter, CopiesTheTextThatTheTargetMayResemble) {
  const Request request{.source = {}, .draft_text = {4, 5, 6, 7}};
  EXPECT_THAT(ngram_draft(request, Ids{}, 3), ElementsAre(4, 5, 6));
  EXPECT_THAT(ngram_draft(request, Ids{4}, 9), ElementsAre(5, 6, 7));  // and no more
  EXPECT_THAT(ngram_draft(request, Ids{8, 5}, 9), ElementsAre(6, 7));
  EXPECT_THAT(ngram_draft(request, Ids{8}, 9), IsEmpty());
}

}  // namespace
}  // namespace weft::decode
