#include "weft/data/text/windows.h"

#include <gmock/gmock.h>
#include <sentencepiece_processor.h>

#include "tests/data/files.h"
#include "weft/core/random.h"
#include "weft/data/text/sentencepiece.h"

namespace weft::data {
namespace {

using Ids = std::vector<int32_t>;

std::string repeated(std::string_view text, size_t bytes) {
  std::string out;
  while (out.size() < bytes) out += text;
  return out;
}

// One token a byte, its id the byte; a dummy token first, as SentencePiece's space.
std::vector<TokenSpan> bytes_of(std::string_view part) {
  std::vector<TokenSpan> tokens = {{999, 0, 0}};
  for (size_t i = 0; i < part.size(); ++i) {
    tokens.push_back({static_cast<unsigned char>(part[i]), i, i + 1});
  }
  return tokens;
}

TEST(Windows, AreJoinedAtATokenOfBoth) {
  std::string line;
  for (int64_t i = 0; i < 50'000; ++i) line += static_cast<char>('a' + i * i % 23);
  Ids expected = {999};
  expected.insert(expected.end(), line.begin(), line.end());
  EXPECT_EQ(encode_in_windows(line, 1, bytes_of), expected);
}

TEST(Windows, WorkIsLinear) {
  for (const char* text : {"a", "\xE9\xBE\x98", "ab "}) {
    size_t bytes = 0, longest = 0;
    const std::string line = repeated(text, size_t{1} << 20);
    encode_in_windows(line, 1, [&](std::string_view part) {
      bytes += part.size();
      longest = std::max(longest, part.size());
      return bytes_of(part);
    });
    EXPECT_LE(longest, kLongLine);
    EXPECT_LE(bytes, line.size() + line.size() / 4);
  }
}

TEST(Windows, ARunOfUnknownCharactersIsOneToken) {
  const auto encode = [](std::string_view part) {
    return std::vector<TokenSpan>{{999, 0, 0}, {1, 0, part.size()}};
  };
  EXPECT_EQ(encode_in_windows(repeated("x", 100'000), 1, encode), (Ids{999, 1}));
}

TEST(Windows, WithoutACommonTokenStandSideBySide) {
  std::string seen;
  const auto encode = [&](std::string_view part) {
    return std::vector<TokenSpan>{{static_cast<int32_t>(part.size()), 0, part.size()}};
  };
  size_t bytes = 0;
  for (const int32_t size : encode_in_windows(repeated("x", 50'000), 1, encode)) bytes += size;
  EXPECT_EQ(bytes, 50'000u);
}

class WindowsOfSentencePiece : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::vector<std::string> lines;
    for (int i = 0; i < 200; ++i) lines.push_back(text(60));
    bytes_ = train_sentencepiece(lines, {.size = 300, .type = GetParam()}, "spm");
    ours_ = load_sentencepiece(bytes_, "spm");
    ASSERT_TRUE(library_.LoadFromSerializedProto(bytes_).ok());
  }
  std::string text(size_t bytes) {
    const char* words[] = {"the ",
                           "cat ",
                           "runs ",
                           "sleeping ",
                           "12, ",
                           "caf\xC3\xA9 ",
                           "\xE4\xB8\xAD",
                           "QX ",
                           "\xE6\x96\x87\xE5\xAD\x97 ",
                           "e\xCC\x81l\xC3\xA9ment ",
                           "aaaa",
                           "\xEF\xBC\xA1 "};
    std::string out;
    while (out.size() < bytes) out += words[random_.below(std::size(words))];
    return out;
  }
  Ids direct(const std::string& line) const {
    Ids ids;
    EXPECT_TRUE(library_.Encode(line, &ids).ok());
    return ids;
  }

  RandomStream random_{1, 2};
  std::string bytes_;
  TokeniserPtr ours_;
  sentencepiece::SentencePieceProcessor library_;
};

TEST_P(WindowsOfSentencePiece, GiveTheTokensOfTheLibrary) {
  for (int size = 0; size < 30'000; size += 1370) {
    const std::string line = text(size);
    EXPECT_EQ(ours_->encode(line), direct(line)) << size;
  }
  for (const char* unit : {"Z", "\xE9\xBE\x98", "\xCC\x81", " ", "Z the ", "aaaa"}) {
    const std::string line = repeated(unit, 30'000);
    EXPECT_EQ(ours_->encode(line), direct(line)) << unit;
  }
  const std::string line =
      repeated("the cat ", 15'000) + repeated("Z", 15'000) + repeated(" runs", 15'000);
  EXPECT_EQ(ours_->encode(line), direct(line));
}

TEST_P(WindowsOfSentencePiece, AMebibyteWithoutASpaceIsEncodedAndDecoded) {
  for (const char* unit : {"a", "\xE4\xB8\xAD\xE6\x96\x87"}) {
    const std::string line = repeated(unit, size_t{1} << 20);
    EXPECT_TRUE(ours_->decode(ours_->encode(line)) == line) << unit;
  }
  for (const char* unit : {"Z", "\xE9\xBE\x98", "\xCC\x81"}) {
    EXPECT_LE(ours_->encode(repeated(unit, size_t{1} << 20)).size(), 2u) << unit;
  }
  EXPECT_EQ(ours_->encode(repeated(" ", size_t{1} << 20)), Ids{});
}

INSTANTIATE_TEST_SUITE_P(Types, WindowsOfSentencePiece, ::testing::Values("unigram", "bpe"),
                         [](const auto& type) { return type.param; });

}  // namespace
}  // namespace weft::data
