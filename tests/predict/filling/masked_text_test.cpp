#include "weft/predict/filling/masked_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model_file/encoder_folder.h"
#include "weft/data/subwords/subword_tokeniser.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/model_file/masked_lm.h"

namespace weft::predict {
namespace {

using testing::ElementsAre;

struct FoldersTokeniser {
  explicit FoldersTokeniser(const char* folder)
      : session(model_file::EncoderFolder(folder).read<model_file::MaskedLmSession>()) {}

  MaskSymbol mask() const {
    return {session.mask_text(), static_cast<int32_t>(session.model.dims.mask_id)};
  }
  // The line with these tokens in the place of its masks.
  std::string filled(const std::string& line, const std::vector<std::string>& pieces) const {
    const auto& tokeniser = dynamic_cast<const data::SubwordTokeniser&>(*session.tokeniser);
    std::vector<int32_t> ids;
    for (const std::string& piece : pieces) ids.push_back(tokeniser.find(piece).value());
    return filled_text(tokeniser, read_masked_text(tokeniser, mask(), line), ids);
  }

  model_file::MaskedLmSession session;
};

TEST(MaskedText, IsEncodedAroundMasks) {
  const FoldersTokeniser bert("bert_masked_lm");
  const MaskedText text =
      read_masked_text(*bert.session.tokeniser, bert.mask(), "The cat[MASK] on [MASK]");
  const auto the_cat = bert.session.tokeniser->encode("the cat");
  const auto on = bert.session.tokeniser->encode("on");
  EXPECT_THAT(text.ids, ElementsAre(the_cat[0], the_cat[1], 4, on[0], 4));
  EXPECT_THAT(text.masks, ElementsAre(2, 4));
  EXPECT_THAT(text.parts, ElementsAre("The cat", " on ", ""));
  // Text that spells another special token stays text.
  EXPECT_EQ(std::ranges::count(
                read_masked_text(*bert.session.tokeniser, bert.mask(), "[SEP] [MASK]").ids, 3),
            0);
}

TEST(MaskedText, IsFilledWithWordsAndEndings) {
  const FoldersTokeniser bert("bert_masked_lm");
  EXPECT_EQ(bert.filled("The [MASK] sat.", {"cat"}), "The cat sat.");
  EXPECT_EQ(bert.filled("The cat [MASK] on", {"##s"}), "The cats on");
  EXPECT_EQ(bert.filled("The [MASK] [MASK] on", {"cat", "##s"}), "The cats on");
  EXPECT_EQ(bert.filled("A cat [MASK]", {"!"}), "A cat!");
  EXPECT_EQ(bert.filled("([MASK])", {"cat"}), "(cat)");
  EXPECT_EQ(bert.filled("[MASK] sat", {"the"}), "the sat");
  const FoldersTokeniser roberta("roberta_masked_lm");
  EXPECT_EQ(roberta.filled("the <mask> sat", {"\u0120cat"}), "the cat sat");
  EXPECT_EQ(roberta.filled("the cat<mask> sat", {"s"}), "the cats sat");
  EXPECT_EQ(roberta.filled("the cat <mask> sat", {"s"}), "the cats sat");
  EXPECT_EQ(roberta.filled("the<mask> sat", {"\u0120cat"}), "the cat sat");
}

TEST(MaskedText, IsFilledByWordsAndCharacters) {
  const auto words = data::make_plain_tokeniser(data::Vocabulary({"the", "cat", "sat"}, "words"));
  const MaskSymbol mask{"[MASK]", words->size()};
  const MaskedText text = read_masked_text(*words, mask, "the  [MASK] sat");
  EXPECT_THAT(text.ids, ElementsAre(3, 6, 5));
  EXPECT_EQ(filled_text(*words, text, std::vector<int32_t>{4}), "the  cat sat");
  const auto characters =
      data::make_plain_tokeniser(data::Vocabulary({" ", "a", "b"}, "characters"));
  const MaskedText letters = read_masked_text(*characters, mask, "a [MASK]b");
  EXPECT_THAT(letters.ids, ElementsAre(4, 3, 6, 5));
  EXPECT_EQ(filled_text(*characters, letters, std::vector<int32_t>{4}), "a ab");
  EXPECT_EQ(filled_text(*characters, letters, std::vector<int32_t>{3}), "a  b");
}

}  // namespace
}  // namespace weft::predict
