#include "weft/data/text/plain_tokeniser.h"

#include "tests/data/files.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using Ids = std::vector<int32_t>;

TEST(WordTokeniser, SplitsAtAnyWhiteSpaceAndJoinsByOneSpace) {
  const WordTokeniser t(Vocabulary::from_list("the\ncat@@\ns\n", "v"));
  const Ids ids = t.encode("  the\tcat@@  s \r");
  EXPECT_EQ(ids, (Ids{3, 4, 5}));
  EXPECT_EQ(t.decode(ids), "the cat@@ s");
  EXPECT_EQ(undo_bpe(t.decode(ids)), "the cats");
  EXPECT_EQ(t.encode(""), Ids{});
  EXPECT_EQ(t.encode(" \t "), Ids{});
}

TEST(WordTokeniser, ShowsUnknownsAndDropsBeginAndEnd) {
  const WordTokeniser t(Vocabulary::from_list("the\n", "v"));
  EXPECT_EQ(t.encode("the </s> dog"), (Ids{3, 1, 1}));
  EXPECT_EQ(t.decode(Ids{2, 3, 1, 0}), "the <unk>");
  EXPECT_EQ(pieces(t, Ids{2, 3, 1, 0}), (std::vector<std::string>{"<s>", "the", "<unk>", "</s>"}));
}

TEST(CharacterTokeniser, HasATokenForEachCodePoint) {
  const auto t = make_plain_tokeniser(
      Vocabulary::from_list(" \na\n\xC3\xA9\n\xE4\xBD\xA0\n\xF0\x9F\x98\x80\n", "v"));
  EXPECT_EQ(t->kind(), "character");
  const std::string line = " a  \xC3\xA9\xE4\xBD\xA0\xF0\x9F\x98\x80 ";
  const Ids ids = t->encode(line);
  EXPECT_EQ(ids, (Ids{3, 4, 3, 3, 5, 6, 7, 3}));
  EXPECT_EQ(t->decode(ids), line);
  EXPECT_EQ(t->encode("z\xFF"), (Ids{1, 1}));
  EXPECT_EQ(t->decode(Ids{2, 4, 1, 0}), "a\xEF\xBF\xBD");
}

TEST(PlainTokeniser, ComesBackFromItsBytes) {
  for (const char* list : {"the\ncat\n", " \na\nb\n", "</s>\n<unk>\nno\nbegin\n"}) {
    const auto made = make_plain_tokeniser(Vocabulary::from_list(list, "v"));
    const auto loaded = load_tokeniser(made->serialise(), "model");
    EXPECT_EQ(loaded->kind(), made->kind());
    EXPECT_EQ(loaded->serialise(), made->serialise());
    EXPECT_EQ(loaded->begin_id(), made->begin_id());
    EXPECT_EQ(loaded->encode("a cat"), made->encode("a cat"));
  }
}

TEST(PlainTokeniser, DamagedBytesAreAnError) {
  const auto made = make_plain_tokeniser(Vocabulary::from_list("the\n", "v"));
  std::string bytes = made->serialise();
  EXPECT_THROW(load_tokeniser(bytes.substr(0, bytes.find('\n') + 1), "model"), FormatError);
  bytes[std::string_view("weft vocabulary 1 ").size()] = 'x';
  const std::string message = message_of<FormatError>([&] { load_tokeniser(bytes, "model"); });
  EXPECT_TRUE(message.starts_with("model: not a vocabulary; expected")) << message;
}

TEST(PlainTokeniser, AnIdOutOfRangeIsAnError) {
  for (const char* list : {"the\n", " \n"}) {
    const auto t = make_plain_tokeniser(Vocabulary::from_list(list, "v"));
    EXPECT_THROW(t->decode(Ids{4}), FormatError);
    EXPECT_THROW(t->decode(Ids{-1}), FormatError);
    EXPECT_THROW(t->piece(4), FormatError);
  }
}

}  // namespace
}  // namespace weft::data
