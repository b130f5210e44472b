#include "weft/metrics/text/error_rate.h"

#include <gtest/gtest.h>

#include "weft/core/error.h"

namespace weft::metrics {
namespace {

struct ErrorCase {
  const char* hypothesis;
  const char* reference;
  int64_t word_errors, words, character_errors, characters;
};

TEST(ErrorRate, CountsSubstitutionsInsertionsAndDeletions) {
  for (const ErrorCase& c :
       {ErrorCase{"one two", "one two", 0, 2, 0, 7}, ErrorCase{"one three", "one two", 1, 2, 4, 7},
        ErrorCase{"one two two", "one two", 1, 2, 4, 7}, ErrorCase{"two", "one two", 1, 2, 4, 7},
        ErrorCase{"", "one two", 2, 2, 7, 7}, ErrorCase{"a b c d", "b c d e", 2, 4, 4, 7},
        ErrorCase{" one  two ", "one two", 0, 2, 1, 7}, ErrorCase{"perché", "perche", 1, 1, 1, 6},
        ErrorCase{"x", "", 1, 0, 1, 0}}) {
    const std::string hypothesis = c.hypothesis, reference = c.reference;
    const ErrorRate words = word_error_rate({&hypothesis, 1}, {&reference, 1});
    const ErrorRate characters = character_error_rate({&hypothesis, 1}, {&reference, 1});
    EXPECT_EQ(words.errors, c.word_errors) << hypothesis << "|" << reference;
    EXPECT_EQ(words.length, c.words) << hypothesis << "|" << reference;
    EXPECT_EQ(characters.errors, c.character_errors) << hypothesis << "|" << reference;
    EXPECT_EQ(characters.length, c.characters) << hypothesis << "|" << reference;
  }
}

TEST(ErrorRate, IsOfAllReferencesTogether) {
  const std::string hypotheses[] = {"a", "b c d"}, references[] = {"x", "b c d"};
  EXPECT_DOUBLE_EQ(word_error_rate(hypotheses, references).value(), 0.25);
  EXPECT_DOUBLE_EQ((ErrorRate{0, 0}.value()), 0);
  EXPECT_DOUBLE_EQ((ErrorRate{2, 0}.value()), 1);
}

TEST(ErrorRate, RefusesAnotherNumberOfTexts) {
  const std::string one[] = {"a"}, two[] = {"a", "b"};
  EXPECT_THROW(word_error_rate(one, two), FormatError);
}

}  // namespace
}  // namespace weft::metrics
