#include "weft/metrics/text/tokenize.h"

#include <gtest/gtest.h>

#include "weft/core/error.h"
#include "weft/metrics/text/text.h"

namespace weft::metrics {
namespace {

std::string joined(Tokenizer tokenizer, std::string_view line) {
  std::string out;
  for (const auto& token : tokenize(tokenizer, decode_utf8(line))) {
    out += (out.empty() ? "" : " ") + encode_utf8(token);
  }
  return out;
}

TEST(Tokenizer, SplitsByKind) {
  const std::string_view line = "He said &quot;1,000.5-ish, 你好.\"";
  EXPECT_EQ(joined(Tokenizer::k13a, line), "He said \" 1,000.5 - ish , 你好 . \"");
  EXPECT_EQ(joined(Tokenizer::kNone, line), line);
  EXPECT_EQ(joined(Tokenizer::kChar, "a 你."), "a 你 .");
  EXPECT_EQ(joined(Tokenizer::kZh, "Wow,你好。ok."), "Wow , 你 好 。 ok .");
}

TEST(Tokenizer, JoinsLinesBrokenAtAHyphen) {
  EXPECT_EQ(joined(Tokenizer::k13a, "bro-\nken\nline"), "broken line");
}

TEST(Tokenizer, IsFoundByItsName) {
  for (const std::string_view name : {"13a", "none", "char", "zh"}) {
    EXPECT_EQ(name_of(tokenizer_of(name)), name);
  }
  try {
    tokenizer_of("14a");
    FAIL() << "an unknown name was taken";
  } catch (const OptionError& e) {
    EXPECT_STREQ(e.what(), "tokenize: unknown tokeniser '14a'; expected 13a, none, char or zh");
  }
}

}  // namespace
}  // namespace weft::metrics
