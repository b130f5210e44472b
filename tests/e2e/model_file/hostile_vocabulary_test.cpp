// Damaged or malicious vocabularies in model files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decode/small_model.h"
#include "tests/e2e/program.h"
#include "tests/support/scratch.h"
#include "weft/data/text/sentencepiece.h"
#include "weft/model_file/translator.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class HostileVocabulary : public testing::Test {
 protected:
  HostileVocabulary() {
    const std::string subwords = data::train_sentencepiece(
        {"one two three", "a quick test of all", "two by two"}, {.size = 30}, "v");
    const data::TokeniserPtr vocabulary = data::load_sentencepiece(subwords, "v");
    model_file::TranslatorSession session =
        model_file::new_translator(decode::small_options(), {vocabulary, vocabulary}, 1);
    model_file::save(scratch_.path("good"), session, session.parameters);
  }

  // Expects an error for the model with `bytes` at offset `place` after the first occurrence of
  // `text`.
  void expect_refused(const std::string& text, size_t place, const std::string& bytes,
                      const std::string& message) {
    std::string model = read_bytes(scratch_.path("good"));
    const size_t found = model.find(text);
    ASSERT_NE(found, model.npos);
    model.replace(found + text.size() + place, bytes.size(), bytes);
    scratch_.file("bad", model);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"translate", "--quiet", "-m", "bad"},
          {"convert", "-m", "bad", "--to-hf", "hf"}}) {
      const ProcessResult result =
          run_weft(command, {.input = "one two\n", .folder = scratch_.folder()});
      EXPECT_EQ(result.signal, 0);
      EXPECT_EQ(result.status, 1);
      EXPECT_THAT(result.errors, testing::StartsWith("weft: bad: vocab.source: "));
      EXPECT_THAT(result.errors, HasSubstr(message));
    }
  }

  Scratch scratch_;
};

TEST_F(HostileVocabulary, ANormaliserThatPointsOutOfItsTableIsRefused) {
  // After the name: a tag, three bytes of length, four of the trie's size, and its root.
  expect_refused("nmt_nfkc", 8, "\xFF\xFE\xFF\x7F", "the normaliser's table: unit 0 leads to");
}

TEST_F(HostileVocabulary, APieceThatIsNotUtf8IsRefused) {
  expect_refused("\n\x05<u", 0, "\xE9", "the piece of id 1 is not UTF-8");
}

TEST_F(HostileVocabulary, ALineWithoutASpaceIsTranslated) {
  const ProcessResult result =
      run_weft({"translate", "--quiet", "-m", "good", "--max-length", "10"},
               {.input = std::string(size_t{1} << 20, 'Z') + "\n", .folder = scratch_.folder()});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1);
}

}  // namespace
}  // namespace weft::test
