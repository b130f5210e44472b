#include "weft/predict/transcription/transcriber.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/data/text/plain_tokeniser.h"

namespace weft::predict {
namespace {

struct Found {
  std::string word;
  double begin, end;
  bool operator==(const Found&) const = default;
};
std::vector<Found> words(const data::TokeniserPtr& tokeniser, const std::vector<int32_t>& tokens) {
  std::vector<std::pair<double, double>> spans;
  for (size_t i = 0; i < tokens.size(); ++i) {
    spans.emplace_back(static_cast<double>(i), static_cast<double>(i) + 0.5);
  }
  std::vector<Found> out;
  for (const TimedWord& w : timed_words(*tokeniser, tokens, spans)) {
    out.push_back({w.text, w.begin, w.end});
  }
  return out;
}

TEST(TimedWords, BeginAndEndWithTheirTokens) {
  // Ids 0, 1 and 2 are special symbols.
  const auto characters =
      data::make_plain_tokeniser(data::Vocabulary({" ", "a", "\u00e9"}, "characters"));
  EXPECT_EQ(words(characters, {4, 5, 3, 5}),
            (std::vector<Found>{{"a\u00e9", 0, 1.5}, {"\u00e9", 3, 3.5}}));
  EXPECT_EQ(words(characters, {3, 4, 3, 3, 4, 3}),
            (std::vector<Found>{{"a", 1, 1.5}, {"a", 4, 4.5}}));
  EXPECT_TRUE(words(characters, {}).empty());
  const auto whole = data::make_plain_tokeniser(data::Vocabulary({"one", "two"}, "words"));
  EXPECT_EQ(words(whole, {3, 4, 4}),
            (std::vector<Found>{{"one", 0, 0.5}, {"two", 1, 1.5}, {"two", 2, 2.5}}));
}

}  // namespace
}  // namespace weft::predict
