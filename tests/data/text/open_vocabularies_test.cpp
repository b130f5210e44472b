#include "weft/data/text/open_vocabularies.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "tests/data/files.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

class OpenVocabularies : public ::testing::Test {
 protected:
  OpenVocabularies() {
    options.train_sets = {folder.write("a.en", "the cat sleeps\nthe dog runs\n\nthe cat runs\n"),
                          folder.write("a.de",
                                       "die Katze schl\xC3\xA4"
                                       "ft\nder Hund rennt\nx\n\n")};
  }

  // With what was made written to its files.
  std::vector<TokeniserPtr> open(uint64_t seed) const {
    const Vocabularies all = open_vocabularies(options, vocabulary_text(options), seed);
    all.write_made();
    return all.fields;
  }
  std::string error() const {
    return message_of<Error>([&] { open(1); });
  }

  TempFolder folder;
  DataOptions options;
};

TEST_F(OpenVocabularies, AreMadeWhereTheyAreMissingAndFoundTheNextTime) {
  for (const char* ending : {".model", ".txt", ".yml"}) {
    options.vocabs = {folder.path(std::string("en") + ending),
                      folder.path(std::string("de") + ending)};
    const auto made = open(1);
    ASSERT_EQ(made.size(), 2);
    EXPECT_NE(made[0], made[1]);
    for (const std::string& path : options.vocabs) EXPECT_TRUE(std::filesystem::exists(path));
    options.train_sets = {"not", "read"};
    const auto found = open(2);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(found[i]->serialise(), made[i]->serialise()) << ending;
    options.train_sets = {folder.path("a.en"), folder.path("a.de")};
  }
}

TEST_F(OpenVocabularies, OfBytesAreFilesOfTokenizers) {
  options.vocabs = {folder.path("en.json"), folder.path("de.json")};
  for (const char* type : {"bpe", "byte"}) {
    SCOPED_TRACE(type);
    options.vocab_type = type;
    const auto made = open(1);
    options.train_sets = {"not", "read"};
    const auto found = open(2);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(made[i]->kind(), "tokenizer");
      EXPECT_EQ(made[i]->size() == 259, options.vocab_type == "byte");
      EXPECT_EQ(found[i]->serialise(), made[i]->serialise());
      std::filesystem::remove(options.vocabs[i]);
    }
    options.train_sets = {folder.path("a.en"), folder.path("a.de")};
  }
  options.dim_vocabs = {200};
  options.vocab_type = "bpe";
  EXPECT_EQ(error(), "--dim-vocabs: expected at least 259, the bytes and 3 symbols, got 200");
  options.vocabs = {folder.path("en.txt"), folder.path("de.txt")};
  EXPECT_EQ(error(), "--vocab-type: bpe contradicts the name " + options.vocabs[0] +
                         "; expected .json, a tokenizer.json");
}

TEST_F(OpenVocabularies, EqualNamesAreOneJointVocabulary) {
  options.vocabs = {folder.path("v.txt"), folder.path("v.txt")};
  const auto v = open(1);
  EXPECT_EQ(v[0], v[1]);
  EXPECT_EQ(test::read_bytes(folder.path("v.txt")),
            "</s>\n<unk>\n<s>\nthe\ncat\nruns\nHund\nKatze\nder\ndie\ndog\nrennt\nschl\xC3\xA4"
            "ft\n"
            "sleeps\nx\n");
}

TEST_F(OpenVocabularies, CharactersAlwaysHoldTheSpace) {
  options.vocab_type = "character";
  options.vocabs = {folder.path("en.txt"), folder.path("en.txt")};
  options.train_sets = {folder.write("zh", "\xE4\xBD\xA0\xE5\xA5\xBD\n"),
                        folder.write("en", "hi\n")};
  const auto v = open(1);
  EXPECT_EQ(v[0]->kind(), "character");
  EXPECT_EQ(test::read_bytes(folder.path("en.txt")),
            "</s>\n<unk>\n<s>\n \nh\ni\n\xE4\xBD\xA0\n\xE5\xA5\xBD\n");
  EXPECT_EQ(open(1)[0]->kind(), "character");
}

TEST_F(OpenVocabularies, AreMadeOfColumnsToo) {
  options.tsv = true;
  options.train_sets = {folder.write("a.tsv", "one\teins\ntwo\tzwei\nthree\n\xFF\tvier\n")};
  options.vocabs = {folder.path("en.txt"), folder.path("de.txt")};
  const auto v = open(1);
  EXPECT_EQ(test::read_bytes(options.vocabs[0]), "</s>\n<unk>\n<s>\none\ntwo\n");
  EXPECT_EQ(test::read_bytes(options.vocabs[1]), "</s>\n<unk>\n<s>\neins\nzwei\n");
}

TEST_F(OpenVocabularies, SizesHold) {
  options.vocabs = {folder.path("en.txt"), folder.path("de.txt")};
  options.dim_vocabs = {5, 0};
  const auto v = open(1);
  EXPECT_EQ(v[0]->size(), 5);
  EXPECT_EQ(v[1]->size(), 10);
  options.dim_vocabs = {};
  options.vocab_min_count = 2;
  options.vocabs = {folder.path("en2.txt"), folder.path("de2.txt")};
  EXPECT_EQ(open(1)[0]->size(), 6);
}

TEST_F(OpenVocabularies, HaveSymbolsOfTheirOwn) {
  const std::vector<std::string> symbols = {"<extra_id_0>", "<extra_id_1>"};
  const auto make = [&](const char* name, const char* type) {
    options.vocabs = {folder.path(name), folder.path(name)};
    options.vocab_type = type;
    VocabularyText text = vocabulary_text(options);
    text.symbols = symbols;
    return open_vocabularies(options, text, 1).fields.front();
  };
  for (const auto& [name, type] : {std::pair{"s.model", "sentencepiece"},
                                   std::pair{"w.txt", "word"}, std::pair{"b.json", "bpe"}}) {
    SCOPED_TRACE(type);
    options.dim_vocabs = {std::string_view(type) == "bpe" ? 270 : 60};
    const TokeniserPtr made = make(name, type);
    EXPECT_LE(made->size(), options.dim_vocabs.front());
    const std::vector<int32_t> ids = made->encode("the <extra_id_1> cat <extra_id_0>");
    std::vector<std::string> found = pieces(*made, ids);
    std::erase_if(found, [](const std::string& piece) { return !piece.starts_with("<extra"); });
    EXPECT_THAT(found, testing::ElementsAre("<extra_id_1>", "<extra_id_0>"));
    EXPECT_THAT(made->decode(ids), testing::HasSubstr("<extra_id_1>"));
  }
  options.dim_vocabs = {260};
  EXPECT_EQ(message_of<OptionError>([&] { make("b.json", "bpe"); }),
            "--dim-vocabs: expected at least 261, the bytes and 5 symbols, got 260");
  options.dim_vocabs = {5};
  EXPECT_EQ(message_of<OptionError>([&] { make("few.txt", "word"); }),
            "--dim-vocabs: expected more than 5, the symbols, got 5");
  options.dim_vocabs = {};
  for (const char* type : {"character", "byte"}) {
    EXPECT_EQ(message_of<OptionError>([&] { make(type[0] == 'b' ? "c.json" : "c.txt", type); }),
              fmt::format("--vocab-type: a {} vocabulary cannot hold the symbol <extra_id_0>; "
                          "expected sentencepiece, word or bpe",
                          type));
  }
}

TEST_F(OpenVocabularies, TheSampleFollowsTheSeedAlone) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  options.train_sets = {folder.write("many", text), folder.path("many")};
  options.sentencepiece_max_lines = 20;
  const auto make = [&](uint64_t seed) {
    options.vocabs = {folder.path("v.model"), folder.path("v.model")};
    std::filesystem::remove(options.vocabs[0]);
    return open(seed)[0]->serialise();
  };
  const std::string first = make(1);
  EXPECT_EQ(make(1), first);
  EXPECT_NE(make(2), first);
}

TEST_F(OpenVocabularies, OptionsThatContradictAreErrors) {
  const std::string txt = folder.write("v.txt", "a\nb\n"), none = folder.path("none.txt");
  options.vocabs = {txt, none};
  options.dim_vocabs = {4, 4};
  EXPECT_EQ(error(),
            "--dim-vocabs: " + txt + " exists and is larger; expected at most 4 tokens, got 5");
  options.dim_vocabs = {4, 4, 4};
  EXPECT_EQ(error(), "--dim-vocabs: expected one, or one for each of 2 vocabularies, got 3");
  options.vocabs = {none, none};
  options.dim_vocabs = {4, 5};
  EXPECT_EQ(error(), "--dim-vocabs: two sizes for " + none + ": 4 and 5");
  options.dim_vocabs = {};
  options.vocab_type = "character";
  options.vocabs = {txt, txt};
  EXPECT_EQ(error(), "--vocab-type: " + txt +
                         " exists and is of another kind; expected character, "
                         "got word");
  options.vocab_type = "sentencepiece";
  options.vocabs = {none, none};
  EXPECT_EQ(error(), "--vocab-type: sentencepiece contradicts the name " + none +
                         "; expected .model or .spm for SentencePiece, and for nothing else");
}

TEST_F(OpenVocabularies, OptionsOfAnotherKindAreNamed) {
  options.vocabs = {folder.path("v.txt"), folder.path("v.txt")};
  options.sentencepiece_max_lines = 7;
  EXPECT_EQ(error(),
            "--sentencepiece-max-lines: needs a vocabulary of SentencePiece, .model or "
            ".spm; got " +
                folder.path("v.txt") + " " + folder.path("v.txt"));
  options.sentencepiece_max_lines = DataOptions().sentencepiece_max_lines;
  options.vocabs = {folder.path("v.model"), folder.path("v.model")};
  options.vocab_min_count = 2;
  EXPECT_TRUE(error().starts_with("--vocab-min-count: needs a vocabulary of words or characters"));
}

TEST_F(OpenVocabularies, WhatCannotBeReadOrWrittenIsNamed) {
  options.vocabs = {folder.path("no/v.txt"), folder.path("no/v.txt")};
  EXPECT_EQ(error(), folder.path("no/v.txt") + ": cannot be created in " + folder.path("no") +
                         ": No such file or directory");
  options.vocabs = {folder.path("a.en/v.txt"), folder.path("a.en/v.txt")};
  EXPECT_EQ(error(), folder.path("a.en/v.txt") + ": cannot be created in " + folder.path("a.en") +
                         ": Not a directory");
  std::filesystem::create_symlink("loop.txt", folder.path("loop.txt"));
  options.vocabs = {folder.path("loop.txt"), folder.path("loop.txt")};
  EXPECT_EQ(error(),
            folder.path("loop.txt") + ": cannot be opened: Too many levels of symbolic links");
  options.vocabs = {folder.path("v.txt"), folder.path("v.txt")};
  options.train_sets = {folder.write("empty", ""), folder.path("empty")};
  EXPECT_EQ(error(), folder.path("empty") + " (for " + folder.path("v.txt") +
                         "): no usable line; expected at least one");
  options.train_sets = {folder.path("missing"), folder.path("a.en")};
  EXPECT_EQ(error(), folder.path("missing") + ": cannot be opened: No such file or directory");
  EXPECT_FALSE(std::filesystem::exists(folder.path("v.txt")));
}

TEST_F(OpenVocabularies, TextWithoutAUsableLineIsNamed) {
  folder.write("empty", "");
  const auto name = [&](const char* file) { return folder.path(file); };
  options.train_sets = {name("a.en"), folder.write("blank", "\n\n\n\n"), name("a.en"),
                        folder.write("blank.2", "\n\n\n\n")};
  options.vocabs = {name("en.txt"), name("de.txt")};
  EXPECT_EQ(error(), name("blank") + " + " + name("blank.2") + " (for " + name("de.txt") +
                         "): no usable line; expected at least one");
  options.train_sets = {name("a.en"), folder.write("spaces", " \n  \n \n \n")};
  options.vocabs = {name("en.txt"), name("de.model")};
  EXPECT_EQ(error(), name("spaces") + " (for " + name("de.model") +
                         "): no text to train SentencePiece on; only blank lines");
  options.tsv = true;
  options.train_sets = {name("empty")};
  options.vocabs = {name("v.txt"), name("v.txt")};
  EXPECT_EQ(error(),
            name("empty") + " (for " + name("v.txt") + "): no usable line; expected at least one");
}

// What is wrong with the second one is found before the first is made, or at least written.
TEST_F(OpenVocabularies, NothingIsWrittenWhereOneOfThemFails) {
  options.vocabs = {folder.path("en.txt"), folder.path("no/de.txt")};
  EXPECT_THAT(error(), ::testing::HasSubstr("cannot be created in"));
  EXPECT_FALSE(std::filesystem::exists(options.vocabs[0]));
  options.train_sets[1] = folder.write("blank", "\n\n\n\n");
  options.vocabs[1] = folder.path("de.txt");
  EXPECT_THAT(error(), ::testing::HasSubstr("no usable line"));
  EXPECT_FALSE(std::filesystem::exists(options.vocabs[0]));
  options.vocabs[1] = options.vocabs[0];
  const Vocabularies made = open_vocabularies(options, vocabulary_text(options), 1);
  EXPECT_FALSE(std::filesystem::exists(options.vocabs[0]));
  made.write_made();
  EXPECT_TRUE(std::filesystem::exists(options.vocabs[0]));
}

}  // namespace
}  // namespace weft::data
