// What the special tokens of a tokeniser are for. A tokenizer.json does not say it; in model files
// Weft writes it there as one more field, "special_tokens", which other programs refuse.
#ifndef WEFT_DATA_SUBWORDS_SPECIAL_TOKENS_H_
#define WEFT_DATA_SUBWORDS_SPECIAL_TOKENS_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/data/subwords/tokenizer_document.h"

namespace weft::data {

struct SpecialTokens {
  std::string begin = {};             // "bos_token", or "cls_token"; empty: none
  std::vector<std::string> end = {};  // "eos_token", one or several, or "sep_token"
  std::string padding = {};           // "pad_token"
  std::string mask = {};              // "mask_token"
};

// From the text of a tokenizer_config.json or a special_tokens_map.json. Throws FormatError.
SpecialTokens read_special_tokens(std::string_view config, std::string_view where);

// From and to the field of a document. Nothing in the document: no tokens.
SpecialTokens special_tokens_of(const TokenizerDocument& document, std::string_view where);
void set_special_tokens(TokenizerDocument& document, const SpecialTokens& tokens);
void remove_special_tokens(TokenizerDocument& document);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_SPECIAL_TOKENS_H_
