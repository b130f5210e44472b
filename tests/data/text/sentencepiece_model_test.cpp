// Models that were damaged on the way or made to do harm are refused or work.
#include "weft/data/text/sentencepiece_model.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <ostream>

#include "tests/data/files.h"
#include "weft/core/error.h"
#include "weft/core/text/utf8.h"
#include "weft/data/protobuf.h"
#include "weft/data/text/sentencepiece.h"

namespace weft::data {
namespace {

using testing::HasSubstr;

struct Piece {
  std::string text;
  uint64_t type = 1;
  float score = -1;
};

std::string serialise(const Piece& piece) {
  ProtobufWriter out;
  out.bytes(1, piece.text);
  out.number(2, piece.score);
  out.integer(3, piece.type);
  return out.text();
}

std::vector<Piece> good_pieces() {
  return {{"</s>", 3}, {"<unk>", 2}, {"<s>", 3}, {"a"}, {"\xE2\x96\x81"}, {"b"}, {"ab"}};
}

std::string model_of(const std::vector<Piece>& pieces, const std::string& trainer = "",
                     const std::string& rest = "") {
  ProtobufWriter out;
  for (const Piece& piece : pieces) out.bytes(1, serialise(piece));
  out.bytes(2, trainer);
  return out.text() + rest;
}

std::string message(const std::string& model) {
  return message_of<FormatError>([&] { load_sentencepiece(model, "m.spm"); });
}

// What the model does with some text; a FormatError where it is refused.
void use(const std::string& model) {
  const TokeniserPtr tokeniser = load_sentencepiece(model, "m.spm");
  for (const char* text : {"", " ", "ab ba", "The \xEF\xBC\xA1 caf\xC3\xA9 e\xCC\x81 \xE2\x91\xA0.",
                           "a  \xE9\xBE\x98\xE9\xBE\x98 <unk></s> \xEF\xB7\xBA\x01"}) {
    const std::vector<int32_t> ids = tokeniser->encode(text);
    EXPECT_TRUE(valid_utf8(tokeniser->decode(ids)));
  }
  std::vector<int32_t> all(tokeniser->size());
  for (int32_t id = 0; id < tokeniser->size(); ++id) all[id] = id;
  EXPECT_TRUE(valid_utf8(tokeniser->decode(all)));
  EXPECT_GE(tokeniser->unknown_id(), 0);
}

TEST(SentencePieceModelCheck, AGoodModelWorks) { use(model_of(good_pieces())); }

TEST(SentencePieceModelCheck, EveryNormaliserOfTheTrainerIsGood) {
  for (const char* name : {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"}) {
    for (const char* type : {"unigram", "bpe", "char", "word"}) {
      use(train_sentencepiece(
          {"one two", "three"},
          {.type = type, .options = fmt::format("--normalization_rule_name={}", name)}, "m"));
    }
  }
}

TEST(SentencePieceModelCheck, PiecesThatTheLibraryCannotTake) {
  const auto with = [](const Piece& piece) {
    std::vector<Piece> pieces = good_pieces();
    pieces.push_back(piece);
    return message(model_of(pieces));
  };
  EXPECT_EQ(with({"\xE9t\xE9"}), "m.spm: the piece of id 7 is not UTF-8");
  EXPECT_EQ(with({""}), "m.spm: the piece of id 7 is empty");
  EXPECT_EQ(with({std::string("c\0d", 3)}), "m.spm: the piece of id 7 holds a NUL");
  EXPECT_EQ(with({"ab"}), "m.spm: the piece of id 7 occurs twice in the vocabulary: 'ab'");
  EXPECT_EQ(with({"<s>"}), "m.spm: the piece of id 7 occurs twice in the vocabulary: '<s>'");
  EXPECT_EQ(with({"<unk2>", 2}), "m.spm: the piece of id 7 is a second unknown one");
  EXPECT_EQ(with({"c", 7}), "m.spm: the piece of id 7 is of type 7; expected 1 to 6");
  EXPECT_EQ(with({"c", 0}), "m.spm: the piece of id 7 is of type 0; expected 1 to 6");
  EXPECT_EQ(with({"c", 1, std::nanf("")}), "m.spm: the piece of id 7 has no finite score");
  EXPECT_EQ(with({"c", 1, -std::numeric_limits<float>::infinity()}),
            "m.spm: the piece of id 7 has no finite score");
  EXPECT_EQ(with({std::string(size_t{1} << 20, 'x')}),
            "m.spm: the piece of id 7 is too long; expected at most 4096 bytes, got 1048576");
  EXPECT_THAT(with({"<0x41>", 6}), HasSubstr("SentencePiece refuses the model: byte piece"));
}

TEST(SentencePieceModelCheck, ModelsThatLackWhatTheLibraryTakesForGranted) {
  EXPECT_THAT(message(""), HasSubstr("no SentencePiece model: it has no piece; hint: "));
  EXPECT_THAT(message("nonsense"), HasSubstr("no SentencePiece model, or a damaged one: "));
  EXPECT_EQ(message(model_of({{"</s>", 3}, {"a"}})), "m.spm: no piece is the unknown one");
  EXPECT_THAT(message(model_of({{"</s>", 3}, {"<unk>", 2}})), HasSubstr("no pieces are loaded"));
  ProtobufWriter type, surface;
  type.integer(3, 5);
  surface.bytes(44, "\xFF");
  EXPECT_EQ(message(model_of(good_pieces(), type.text())), "m.spm: model type 5; expected 1 to 4");
  EXPECT_EQ(message(model_of(good_pieces(), surface.text())),
            "m.spm: field 44 of the trainer is not UTF-8");
}

// The limit of the library is 64 matches at one position.
TEST(SentencePieceModelCheck, SymbolsThatBeginWithEachOther) {
  for (const size_t count : {64u, 65u}) {
    std::vector<Piece> pieces = good_pieces();
    for (size_t i = 1; i <= count; ++i) pieces.push_back({std::string(i, 'x'), 4});
    if (count == 64) {
      const TokeniserPtr tokeniser = load_sentencepiece(model_of(pieces), "m");
      tokeniser->encode(std::string(1000, 'x'));
    } else {
      EXPECT_THAT(message(model_of(pieces)), HasSubstr("over 64 user-defined symbols"));
    }
  }
}

TEST(SentencePieceModelCheck, ALongSelfTestIsNotRun) {
  ProtobufWriter sample, samples, rest;
  sample.bytes(1, std::string(size_t{1} << 20, 'Q'));  // half a minute in the library
  sample.bytes(2, "");
  samples.bytes(1, sample.text());
  rest.bytes(4, samples.text());
  use(model_of(good_pieces(), "", rest.text()));
}

TEST(SentencePieceModelCheck, TheUnknownPieceMayHaveAnyText) {
  const TokeniserPtr tokeniser =
      load_sentencepiece(model_of({{"</s>", 3}, {"a"}, {"[UNK]", 2}}), "m");
  EXPECT_EQ(tokeniser->unknown_id(), 2);
  EXPECT_EQ(tokeniser->encode("Q"), (std::vector<int32_t>{2}));
}

struct Kind {
  std::string name, type, options;
};

std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

class DamagedSentencePiece : public ::testing::TestWithParam<Kind> {};

TEST_P(DamagedSentencePiece, IsRefusedOrWorks) {
  const std::string good = train_sentencepiece(
      {"a b ab", "the cat", "two"},
      {.size = 300, .type = GetParam().type, .options = GetParam().options}, "m");
  use(good);
  int refused = 0, used = 0;
  const auto try_with = [&](const std::string& bad) {
    try {
      use(bad);
      ++used;
    } catch (const FormatError&) {
      ++refused;
    }
  };
  const size_t step = std::max<size_t>(1, good.size() / 600);
  for (size_t at = 0; at < good.size(); at += step) {
    std::string bad = good;
    for (const int change : {0x00, 0xFF, good[at] ^ 0x01, good[at] ^ 0x80, good[at] ^ 0x24}) {
      bad[at] = static_cast<char>(change);
      if (bad != good) try_with(bad);
    }
    try_with(good.substr(0, at));
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(used, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, DamagedSentencePiece,
    ::testing::Values(Kind{"Unigram", "unigram", "--normalization_rule_name=identity"},
                      Kind{"Bpe", "bpe", "--normalization_rule_name=identity"},
                      Kind{"UnigramNfkc", "unigram", ""},
                      Kind{"Bytes", "bpe",
                           "--normalization_rule_name=identity --byte_fallback=true "
                           "--user_defined_symbols=<x>,<xy>"}),
    [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace weft::data
