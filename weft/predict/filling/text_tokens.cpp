#include "weft/predict/filling/text_tokens.h"

#include "weft/core/error.h"
#include "weft/data/subwords/subword_tokeniser.h"

namespace weft::predict {

std::vector<int32_t> text_tokens(const data::Tokeniser& tokeniser) {
  const auto* const subwords = dynamic_cast<const data::SubwordTokeniser*>(&tokeniser);
  std::vector<int32_t> out;
  for (int32_t id = 0; id < tokeniser.size(); ++id) {
    const bool is_symbol =
        id == tokeniser.end_id() || id == tokeniser.begin_id() || id == tokeniser.unknown_id();
    const bool is_special = subwords != nullptr && subwords->is_special(id);
    if (!is_symbol && !is_special && !tokeniser.piece(id).empty()) out.push_back(id);
  }
  if (out.empty()) fail<FormatError>("vocabulary", "no token that spells text");
  return out;
}

}  // namespace weft::predict
