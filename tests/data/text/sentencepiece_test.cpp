#include "weft/data/text/sentencepiece.h"

#include <atomic>
#include <thread>

#include "tests/data/files.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using Ids = std::vector<int32_t>;

std::vector<std::string> some_lines() {
  std::vector<std::string> lines;
  const char* who[] = {"a cat", "the dog", "my old neighbour", "nobody", "the caf\xC3\xA9 owner"};
  const char* does[] = {"sleeps", "is sleeping", "runs", "is running", "drinks coffee"};
  const char* where[] = {"on the roof", "in the garden", "", "under the old tree"};
  for (const char* a : who)
    for (const char* b : does)
      for (const char* c : where) lines.push_back(std::string(a) + " " + b + " " + c);
  return lines;
}

class SentencePiece : public ::testing::TestWithParam<std::string> {
 protected:
  std::string train(int64_t size = 100) {
    return train_sentencepiece(some_lines(), {.size = size, .type = GetParam()}, "spm");
  }
};

TEST_P(SentencePiece, GivesEveryLineBack) {
  const auto t = load_sentencepiece(train(), "spm");
  EXPECT_EQ(t->kind(), "sentencepiece");
  EXPECT_LE(t->size(), 100);
  for (const std::string& line : some_lines()) {
    const std::string trimmed = line.ends_with(' ') ? line.substr(0, line.size() - 1) : line;
    EXPECT_EQ(t->decode(t->encode(line)), trimmed);
  }
}

TEST_P(SentencePiece, HasTheIdsOfOurVocabularies) {
  const auto t = load_sentencepiece(train(), "spm");
  EXPECT_EQ(t->end_id(), 0);
  EXPECT_EQ(t->unknown_id(), 1);
  EXPECT_EQ(t->begin_id(), 2);
  EXPECT_EQ(pieces(*t, Ids{0, 1, 2}), (std::vector<std::string>{"</s>", "<unk>", "<s>"}));
}

TEST_P(SentencePiece, TextNeverBecomesASpecialSymbol) {
  const auto t = load_sentencepiece(train(), "spm");
  for (const int32_t id : t->encode("</s> <s> a cat")) {
    EXPECT_NE(id, t->end_id());
    EXPECT_NE(id, t->begin_id());
  }
}

TEST_P(SentencePiece, DropsBeginAndEndAndShowsUnknowns) {
  const auto t = load_sentencepiece(train(), "spm");
  Ids ids = t->encode("a cat sleeps");
  ids.insert(ids.begin(), t->begin_id());
  ids.push_back(t->end_id());
  EXPECT_EQ(t->decode(ids), "a cat sleeps");
  EXPECT_EQ(t->decode(Ids{0, 2}), "");
  EXPECT_NE(t->decode(t->encode("\xE2\x98\x83")).find("\xE2\x81\x87"), std::string::npos);
}

TEST_P(SentencePiece, TrainingIsAPureFunction) { EXPECT_EQ(train(), train()); }

TEST_P(SentencePiece, ComesBackFromItsBytes) {
  const auto made = load_sentencepiece(train(), "spm");
  const auto loaded = load_tokeniser(made->serialise(), "model");
  EXPECT_EQ(loaded->serialise(), made->serialise());
  EXPECT_EQ(loaded->encode("the dog runs"), made->encode("the dog runs"));
}

TEST_P(SentencePiece, EncodesOnManyThreadsAtOnce) {
  const auto t = load_sentencepiece(train(), "spm");
  const std::vector<std::string> lines = some_lines();
  std::vector<Ids> expected;
  for (const std::string& line : lines) expected.push_back(t->encode(line));
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (size_t j = 0; j < lines.size(); ++j) wrong += t->encode(lines[j]) != expected[j];
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

TEST_P(SentencePiece, ASmallTextGivesASmallerVocabulary) {
  const std::string bytes =
      train_sentencepiece({"hello"}, {.size = 8000, .type = GetParam()}, "spm");
  EXPECT_LT(load_sentencepiece(bytes, "spm")->size(), 50);
}

TEST_P(SentencePiece, WhatCannotBeTrainedIsAnError) {
  const auto attempt = [&](std::vector<std::string> lines, int64_t size, std::string options) {
    const SentencePieceSpec spec{size, GetParam(), std::move(options)};
    train_sentencepiece(lines, spec, "v.model");
  };
  for (const char* line : {"", "   ", "\xE2\x96\x81", "\xE2\x80\x8B", "\xE2\x96\x85 x"}) {
    EXPECT_EQ(message_of<FormatError>([&] { attempt({line}, 100, ""); }),
              "v.model: no text to train SentencePiece on; only blank lines");
  }
  EXPECT_THROW(attempt({}, 100, ""), FormatError);
  const auto refused = [&](int64_t size, const std::string& options, const std::string& expected) {
    const std::string message =
        message_of<OptionError>([&] { attempt({"hello world"}, size, options); });
    EXPECT_TRUE(message.starts_with("v.model: ")) << message;
    EXPECT_NE(message.find(expected), message.npos) << message;
  };
  refused(5, "", "Vocabulary size is smaller than required_chars");
  refused(50, "--nonsense=1", "nonsense");
  refused(50, "nonsense", "SentencePiece option nonsense; expected --name=value");
  refused(50, "--eos_id=7", "it fails its check");
}

INSTANTIATE_TEST_SUITE_P(Types, SentencePiece, ::testing::Values("unigram", "bpe"),
                         [](const auto& type) { return type.param; });

TEST(SentencePieceModel, TrainerOptionsAreHandedOn) {
  const auto with = [](const char* options) {
    return load_sentencepiece(
        train_sentencepiece({"hello"}, {.size = 400, .options = options}, "v"), "v");
  };
  EXPECT_EQ(with("")->decode(with("")->encode("hex")).find("hex"), std::string::npos);
  const auto t = with("--byte_fallback=true --bos_id=-1");
  EXPECT_EQ(t->decode(t->encode("hex \xE2\x98\x83")), "hex \xE2\x98\x83");
  EXPECT_EQ(t->begin_id(), t->end_id());
}

TEST(SentencePieceModel, AModelWithoutAnEndSymbolIsAnError) {
  std::string bytes = train_sentencepiece({"hello"}, {}, "v");
  bytes.replace(bytes.find("</s>"), 4, "</x>");
  const std::string expected =
      "v.model: the SentencePiece model has no end symbol; hint: train it with --eos_id=0 "
      "--unk_id=1 --bos_id=2";
  EXPECT_EQ(message_of<FormatError>([&] { load_sentencepiece(bytes, "v.model"); }), expected);
  const SentencePieceSpec spec{.options = "--eos_id=-1 --unk_id=0 --bos_id=1"};
  EXPECT_EQ(message_of<FormatError>([&] { train_sentencepiece({"hello"}, spec, "v.model"); }),
            expected);
}

TEST(SentencePieceModel, AnIdOutOfRangeIsAnError) {
  const auto t = load_sentencepiece(train_sentencepiece({"hello"}, {}, "v"), "v");
  EXPECT_THROW(t->decode(Ids{t->size()}), FormatError);
  EXPECT_THROW(t->decode(Ids{-1}), FormatError);
  EXPECT_THROW(t->piece(t->size()), FormatError);
}

TEST(SentencePieceModel, NothingIsPrinted) {
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  EXPECT_THROW(load_sentencepiece("nonsense", "v.model"), FormatError);
  train_sentencepiece({"hello world"}, {}, "v");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace weft::data
