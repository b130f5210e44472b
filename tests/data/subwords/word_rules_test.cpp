#include "weft/data/subwords/word_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "weft/core/random.h"
#include "weft/core/text/utf8.h"
#include "weft/data/subwords/pattern.h"

namespace weft::data {
namespace {

// Lines of what the expressions tell apart, in any order.
std::string odd_line(RandomStream& random) {
  static const std::vector<std::string> kParts = {"'",
                                                  "s",
                                                  "S",
                                                  "\xC5\xBF",
                                                  "t",
                                                  "re",
                                                  "VE",
                                                  "m",
                                                  "ll",
                                                  "LL",
                                                  "d",
                                                  "a",
                                                  "word",
                                                  "\xC3\xA9",
                                                  "\xD0\xAF",
                                                  "\xE6\xBC\xA2",
                                                  "1",
                                                  "23",
                                                  "4567",
                                                  "\xD9\xA3",
                                                  "\xC2\xBD",
                                                  "\xE2\x85\xA7",
                                                  " ",
                                                  "  ",
                                                  "   ",
                                                  "\n",
                                                  "\r\n",
                                                  "\t",
                                                  "\xC2\xA0",
                                                  "\xE3\x80\x80",
                                                  "\xE2\x80\xA8",
                                                  ".",
                                                  "!?",
                                                  "_",
                                                  "-",
                                                  "\xE2\x82\xAC",
                                                  "\xF0\x9F\xA6\x99",
                                                  "\xCC\x81",
                                                  "\xE0\xA4\xBE",
                                                  "\xE2\x80\x8D",
                                                  "\x01",
                                                  std::string(1, '\0')};
  std::string line;
  const uint64_t count = random.below(20);
  for (uint64_t i = 0; i < count; ++i) line += kParts[random.below(kParts.size())];
  return line;
}

std::vector<std::string> words_of(const Pattern& pattern, std::string_view text) {
  std::vector<PatternPart> parts;
  pattern.split(text, parts);
  std::vector<std::string> out;
  for (const PatternPart& part : parts) {
    out.emplace_back(text.substr(part.begin, part.end - part.begin));
  }
  return out;
}

class WordRules : public testing::TestWithParam<size_t> {};

TEST_P(WordRules, SplitAsOnigurumaDoes) {
  const std::string_view expression = word_rule_patterns()[GetParam()];
  ASSERT_NE(word_rule(expression), nullptr);
  const PatternPtr own = regex_pattern(expression, "own");
  const PatternPtr oniguruma = oniguruma_pattern(expression, "oniguruma");
  RandomStream random(GetParam(), 1);
  for (int i = 0; i < 3000; ++i) {
    const std::string line = odd_line(random);
    ASSERT_EQ(words_of(*own, line), words_of(*oniguruma, line)) << testing::PrintToString(line);
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, WordRules, testing::Range<size_t>(0, 4));

TEST(WordRule, IsForTheExactExpressionOnly) {
  EXPECT_EQ(word_rule(std::string(kGpt2Pattern) + "|x"), nullptr);
}

}  // namespace
}  // namespace weft::data
