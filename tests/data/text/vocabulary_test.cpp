#include "weft/data/text/vocabulary.h"

#include "tests/data/files.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

TEST(Vocabulary, AListWithTheSpecialSymbolsKeepsItsIds) {
  const auto v = Vocabulary::from_list("the\n<unk>\r\n</s>\ncat\n<s>\n", "v.txt");
  EXPECT_EQ(v.size(), 5);
  EXPECT_EQ(v.unknown_id(), 1);
  EXPECT_EQ(v.end_id(), 2);
  EXPECT_EQ(v.begin_id(), 4);
  EXPECT_EQ(v.find("cat"), 3);
  EXPECT_EQ(v.token(3), "cat");
}

TEST(Vocabulary, AListWithoutThemGetsThemFirst) {
  const auto v = Vocabulary::from_list("\xEF\xBB\xBFthe\ncat", "v.txt");
  EXPECT_EQ(v.to_list(), "</s>\n<unk>\n<s>\nthe\ncat\n");
  EXPECT_EQ(v.end_id(), 0);
  EXPECT_EQ(v.unknown_id(), 1);
  EXPECT_EQ(v.begin_id(), 2);
}

TEST(Vocabulary, WithoutABeginSymbolDecodingBeginsWithTheEndSymbol) {
  EXPECT_EQ(Vocabulary::from_list("<unk>\n</s>\nthe\n", "v.txt").begin_id(), 1);
}

TEST(Vocabulary, SpecialSymbolsAndUnlistedTokensAreUnknownInText) {
  const auto v = Vocabulary::from_list("the\ncat\n", "v.txt");
  for (const char* token : {"dog", "</s>", "<s>", "<unk>", ""}) {
    EXPECT_EQ(v.find(token), v.unknown_id()) << token;
  }
}

TEST(Vocabulary, AYamlMapIsReadInTheOrderOfItsIds) {
  const auto v =
      Vocabulary::from_yaml("\"</s>\": 0\n<unk>: 1\n\"\\\"\": 3\ncaf\xC3\xA9: 2\n", "v.yml");
  EXPECT_EQ(v.to_list(), "</s>\n<unk>\ncaf\xC3\xA9\n\"\n");
  EXPECT_EQ(Vocabulary::from_yaml(v.to_yaml(), "again").to_list(), v.to_list());
}

TEST(Vocabulary, OfCharactersHasLineBreaksAndTabs) {
  const std::string list = "</s>\n<unk>\n<s>\n \n\\n\n\\t\n\\\nn\n";
  const auto v = Vocabulary::from_list(list, "v.txt");
  EXPECT_EQ(v.find("\n"), 4);
  EXPECT_EQ(v.find("\t"), 5);
  EXPECT_EQ(v.find("\\"), 6);
  EXPECT_EQ(v.to_list(), list);
  EXPECT_EQ(Vocabulary::from_yaml(v.to_yaml(), "v.yml").to_list(), list);
  const auto words = Vocabulary::from_list("\\n\n", "v.txt");
  EXPECT_EQ(words.token(3), "\\n");
}

TEST(Vocabulary, YamlOfOddTokensComesBack) {
  const std::string odd =
      "</s>\n<unk>\n<s>\n \n:\n#\n'\n\"\n\\\n-\n1.5\ntrue\nnull\n~\n\xE2\x96\x81x\n";
  EXPECT_EQ(Vocabulary::from_yaml(Vocabulary::from_list(odd, "v").to_yaml(), "v").to_list(), odd);
}

TEST(Vocabulary, GarbageIsNamedWithItsPlace) {
  const struct {
    std::string text, message;
  } cases[] = {
      {"", "v: the vocabulary is empty"},
      {"a\n\nb\n", "v: token 2 is empty"},
      {"a\nb\na\n", "v: token 3 is token 1 again: 'a'"},
      {"\xFF\xFE"
       "a\n",
       "v: token 1 is not UTF-8"},
      {"the 123\n", "v: token 1 holds white space; expected one token a line, got 'the 123'"},
      {"</s>\na\n", "v: the vocabulary has no <unk>; expected both </s> and <unk>, or neither"},
      {"a\n<s>\n", "v: the vocabulary has no </s>; expected both </s> and <unk>, or neither"},
      {"a\n<unk>\n", "v: the vocabulary has no </s>; expected both </s> and <unk>, or neither"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(message_of<FormatError>([&] { Vocabulary::from_list(c.text, "v"); }), c.message);
  }
}

TEST(Vocabulary, GarbageInYamlIsNamed) {
  const struct {
    std::string text, message;
  } cases[] = {
      {"", "v: expected `token: id` lines"},
      {"- a\n- b\n", "v: expected `token: id` lines"},
      {"</s>: 0\n<unk>: 2\n", "v: id 2 of \"<unk>\"; expected each of 0 to 1 once"},
      {"</s>: 0\n<unk>: 0\n", "v: id 0 of \"<unk>\"; expected each of 0 to 1 once"},
      {"</s>: 0\n<unk>: -1\n", "v: id -1 of \"<unk>\"; expected each of 0 to 1 once"},
      {"</s>: zero\n", "v: not a YAML vocabulary: "},
      {"{ a: [", "v: not a YAML vocabulary: "},
  };
  for (const auto& c : cases) {
    const std::string message =
        message_of<FormatError>([&] { Vocabulary::from_yaml(c.text, "v"); });
    EXPECT_TRUE(message.starts_with(c.message)) << message;
  }
}

TEST(Vocabulary, AnIdOutOfRangeIsAnError) {
  const auto v = Vocabulary::from_list("a\n", "v");
  EXPECT_EQ(message_of<FormatError>([&] { v.token(4); }),
            "vocabulary: id out of range; expected 0 to 3, got 4");
  EXPECT_THROW(v.token(-1), FormatError);
}

TEST(TokenCounter, OrdersByFrequencyThenBytes) {
  TokenCounter counter;
  for (const char* token : {"b", "a", "c", "c", "\xC3\xA9", "<unk>", "<unk>", "z", "z", "z"}) {
    counter.add(token);
  }
  using Tokens = std::vector<std::string>;
  EXPECT_EQ(counter.most_frequent(0, 1),
            (Tokens{"</s>", "<unk>", "<s>", "z", "c", "a", "b", "\xC3\xA9"}));
  EXPECT_EQ(counter.most_frequent(5, 1), (Tokens{"</s>", "<unk>", "<s>", "z", "c"}));
  EXPECT_EQ(counter.most_frequent(0, 2), (Tokens{"</s>", "<unk>", "<s>", "z", "c"}));
  EXPECT_EQ(counter.most_frequent(5, 1, {"b"}), (Tokens{"</s>", "<unk>", "<s>", "b", "z"}));
}

}  // namespace
}  // namespace weft::data
