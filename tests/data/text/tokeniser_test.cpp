#include "weft/data/text/tokeniser.h"

#include "tests/data/files.h"
#include "weft/core/error.h"
#include "weft/data/text/sentencepiece.h"

namespace weft::data {
namespace {

TEST(TokeniserFile, IsReadByItsName) {
  TempFolder folder;
  const std::string model = train_sentencepiece({"hello world", "hello you"}, {.size = 40}, "spm");
  EXPECT_EQ(load_tokeniser_file(folder.write("v.model", model))->kind(), "sentencepiece");
  EXPECT_EQ(load_tokeniser_file(folder.write("v.spm", model))->kind(), "sentencepiece");
  EXPECT_EQ(load_tokeniser_file(folder.write("v.txt", "hello\nworld\n"))->kind(), "word");
  EXPECT_EQ(load_tokeniser_file(folder.write("v.vocab", " \na\n"))->kind(), "character");
  EXPECT_EQ(load_tokeniser_file(folder.write("v.yml", "</s>: 0\n<unk>: 1\nhello: 2\n"))->size(), 3);
  EXPECT_EQ(load_tokeniser_file(folder.write("v.json", "{\"</s>\": 0, \"<unk>\": 1}"))->size(), 2);
}

TEST(TokeniserFile, GarbageIsAnErrorNamingTheFile) {
  TempFolder folder;
  std::string noise;
  for (int i = 0; i < 4000; ++i) noise += static_cast<char>(i * i * 31 % 251 + 1);
  for (const char* name : {"v.model", "v.spm", "v.txt", "v.yml", "v.json"}) {
    for (const std::string& bytes : {noise, std::string()}) {
      const std::string path = folder.write(name, bytes);
      const std::string message = message_of<FormatError>([&] { load_tokeniser_file(path); });
      EXPECT_TRUE(message.starts_with(path + ": ")) << message;
    }
  }
  EXPECT_THROW(load_tokeniser_file(folder.path("none.txt")), FileError);
}

// They would be read as lists of whole words.
TEST(TokeniserFile, OfAnotherSystemIsRefusedByItsName) {
  TempFolder folder;
  const struct {
    const char* name;
    const char* bytes;
    const char* message;
  } cases[] = {
      {"vocab.txt", "[PAD]\r\n[UNK]\r\nthe\r\n##ing\r\n", "is a vocabulary of WordPiece (BERT)"},
      {"tokenizer.json",
       R"({"model": {"type": "WordPiece", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}})",
       "no token that ends a text; expected the special token </s>, [SEP] or <|endoftext|>"},
      {"tokenizer.json",
       R"({"model": {"type": "BPE", "vocab": {"</s>": 0}, "merges": []},
           "added_tokens": [{"id": 0, "content": "</s>", "special": true}]})",
       "the model has no unk_token; expected one, such as <unk>"},
      {"vocab.json", "{\"<unk>\": 0, \"</s>\": 1, \"\u0120the\": 2}",
       "is a vocabulary of byte-level BPE"},
      {"config.json", R"({"sizes": {"a": 0}})", "'sizes' has no id; expected `token: id` lines"},
  };
  for (const auto& c : cases) {
    const std::string path = folder.write(c.name, c.bytes);
    const std::string message = message_of<FormatError>([&] { load_tokeniser_file(path); });
    EXPECT_TRUE(message.starts_with(path + ": ")) << message;
    EXPECT_NE(message.find(c.message), message.npos) << message;
  }
  // Words of a text, as Markdown has them.
  EXPECT_EQ(load_tokeniser_file(folder.write("v.txt", "##\n##ab\nthe\n"))->kind(), "word");
}

TEST(TokeniserFile, BytesOfNoKindAreAnError) {
  EXPECT_THROW(load_tokeniser("nonsense", "model.safetensors"), FormatError);
  EXPECT_THROW(load_tokeniser("", "model.safetensors"), FormatError);
}

TEST(UndoBpe, JoinsSubwords) {
  const struct {
    std::string_view line, joined;
  } cases[] = {
      {"", ""},
      {"a giant pul@@ ley system .", "a giant pulley system ."},
      {"un@@ be@@ liev@@ able", "unbelievable"},
      {"cut off@@", "cut off"},
      {"user@@example", "user@@example"},
      {"@@ x", "x"},
  };
  for (const auto& c : cases) EXPECT_EQ(undo_bpe(c.line), c.joined);
}

}  // namespace
}  // namespace weft::data
