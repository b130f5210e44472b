#include "weft/data/text/sentence_ends.h"

#include <gtest/gtest.h>

namespace weft::data {
namespace {

using Lines = std::vector<std::string>;

Lines sentences_of(std::string_view line) {
  Lines out;
  size_t begin = 0;
  for (const size_t end : sentence_ends(line)) {
    out.emplace_back(line.substr(begin, end - begin));
    begin = end;
  }
  return out;
}

struct Case {
  std::string name;
  Lines sentences;  // joined they are the line
};

std::vector<Case> sentence_cases() {
  return {
      {"one", {"One sentence."}},
      {"without a mark", {"no mark"}},
      {"three marks", {"It ends. ", "Does it? ", "It does!"}},
      {"ellipsis", {"Well… ", "Perhaps... ", "no"}},
      {"several marks", {"What?! ", "Yes!!! ", "Oh"}},
      {"space at the end", {"One. ", "Two.  "}},
      {"wide space", {"One.  \t", "Two"}},
      {"closing quote", {"\"Go.\" ", "(He went.) ", "“So.” ", "‘No.’ ", "Yes"}},
      {"inside words and numbers", {"pi is 3.14, see www.x.org/a?b=c or a.b!c for ?x"}},
      {"single capital letter", {"J. R. R. Tolkien met É. Zola in the U.S. army"}},
      {"capital letter behind quote", {"(J. Smith) and \"K. Jones\" and J.-P. Sartre"}},
      {"letter at a word's end", {"Made by IBM. ", "Of SiO. ", "End"}},
      {"number", {"On 3. May, as in 12. and 1999. Then"}},
      {"number in a word", {"Take B2. ", "Or v12. ", "See 1.2. below"}},
      {"number, other mark", {"In 1999! ", "Or 2000? ", "No"}},
      {"marks cut off from their words", {"the first . ", "number 3 . ", "J . ", "the end ."}},
      {"lower case", {"it is one. ", "it is two."}},
      {"Arabic", {"ما هذا؟ ", "لا شيء. ", "یہ ہے۔ ", "ہاں"}},
      {"Devanagari", {"यह है। ", "वह है॥ ", "हाँ"}},
      {"Armenian", {"Այո։ ", "Ոչ։"}},
      {"Ethiopic", {"ሰላም። ", "ደህና፧ ", "እሺ"}},
      {"Chinese", {"你好。", "你好吗？", "我很好！", "谢谢"}},
      {"Chinese in quotes", {"他说：「走吧。」", "（走了。） ", "好"}},
      {"Japanese with a wide space", {"はい。　", "いいえ。"}},
      {"fullwidth number", {"１．５と２"}},
      {"Khmer and Tibetan", {"ខ្ញុំ។ ", "བོད།", "ཡིག"}},
      {"Syriac and Mongolian", {"ܐܒ܂ ", "ܓ܂", "ᠮᠣᠩ᠃", "ᠭᠣᠯ"}},
      {"other digits and capitals", {"يوم ٣. مايو and Ђ. Ђ, »K. Jones« and Ꭰ. Smith"}},
      {"only marks", {"... ", "!!!"}},
      {"not UTF-8", {"a\xFF. ", "\xE3\x80 b"}},
  };
}

TEST(SentenceEnds, StandWhereATableSays) {
  for (const Case& c : sentence_cases()) {
    std::string line;
    for (const std::string& sentence : c.sentences) line += sentence;
    EXPECT_EQ(sentences_of(line), c.sentences) << c.name;
  }
  EXPECT_TRUE(sentence_ends("").empty());
}

TEST(JoinSentences, PutsASpaceWhereTheTextHasSpaces) {
  EXPECT_EQ(join_sentences(Lines{"It ends.", "Does it?"}), "It ends. Does it?");
  EXPECT_EQ(join_sentences(Lines{"", "It ends.", "", "So.", ""}), "It ends. So.");
  EXPECT_EQ(join_sentences(Lines{"你好。", "你好吗？", "OK.", "好"}), "你好。你好吗？OK. 好");
  EXPECT_EQ(join_sentences(Lines{"예. ", "네."}), "예.  네.");
  EXPECT_EQ(join_sentences(Lines{}), "");
}

}  // namespace
}  // namespace weft::data
