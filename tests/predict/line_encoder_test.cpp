#include "weft/predict/line_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/data/text/plain_tokeniser.h"

namespace weft::predict {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// </s> 0, <unk> 1, <s> 2, a 3, b 4.
data::TokeniserPtr words() {
  return data::make_plain_tokeniser(data::Vocabulary({"a", "b"}, "words"));
}

std::vector<Line> lines_of(const std::vector<std::string>& texts) {
  std::vector<Line> out;
  for (const std::string& text : texts) out.push_back({text, false});
  return out;
}

TEST(LineEncoder, CountsWhatBecameOfLines) {
  LineEncoder encoder(words(), {.max_length = 3, .with_begin = true});
  std::vector<Line> lines = lines_of({"a b", "", " \t", "a a b b", "x a", "\xFF"});
  lines.push_back({"", true});
  const std::vector<data::EncodedText> out = encoder.encode(lines);
  ASSERT_EQ(out.size(), 7u);
  EXPECT_THAT(out[0].ids, ElementsAre(2, 3, 4, 0));
  EXPECT_THAT(out[1].ids, IsEmpty());
  EXPECT_THAT(out[2].ids, IsEmpty());
  EXPECT_THAT(out[3].ids, ElementsAre(2, 3, 3, 4, 0));
  EXPECT_THAT(out[4].ids, ElementsAre(2, 1, 3, 0));
  EXPECT_THAT(out[5].ids, IsEmpty());
  EXPECT_THAT(out[6].ids, IsEmpty());
  EXPECT_EQ(encoder.report().text(),
            "7 lines: 2 empty, 1 over the limit in bytes (left empty), 1 not UTF-8 (left empty), 1 "
            "cropped, 1 with unknown tokens");
  EXPECT_EQ(encoder.report().faults(), 3);
  EXPECT_EQ(encoder.report().tokens, 13);
}

TEST(LineEncoder, BatchesHaveEveryTextOnceAndTheLongestFirst) {
  LineEncoder encoder(words(), {});
  const auto texts = encoder.encode(lines_of({"a", "", "a a a", "b b", "b", "a a"}));
  std::vector<size_t> seen;
  std::vector<int64_t> sizes;
  for_each_batch(texts, 2, [&](const data::Tokens& tokens, std::span<const size_t> numbers) {
    ASSERT_EQ(tokens.examples(), std::ssize(numbers));
    for (size_t b = 0; b < numbers.size(); ++b) {
      const auto ids = tokens[static_cast<int64_t>(b)];
      EXPECT_TRUE(std::equal(ids.begin(), ids.end(), texts[numbers[b]].ids.begin()));
      seen.push_back(numbers[b]);
    }
    sizes.push_back(tokens.examples());
  });
  EXPECT_THAT(seen, ElementsAre(2, 3, 5, 0, 4));
  EXPECT_THAT(sizes, ElementsAre(2, 2, 1));
}

}  // namespace
}  // namespace weft::predict
