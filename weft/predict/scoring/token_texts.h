// Tokens of texts as a language model reads them, and the texts of tokens.
#ifndef WEFT_PREDICT_SCORING_TOKEN_TEXTS_H_
#define WEFT_PREDICT_SCORING_TOKEN_TEXTS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "weft/model_file/language_model.h"

namespace weft::predict {

// With the begin symbol before them where the model's texts have one; none of an empty text.
std::vector<int32_t> tokens_of_text(const model_file::LanguageModelSession& session,
                                    std::string_view text);

struct TokenRange {
  int64_t begin, end;
};
// The bytes of the text of a range of tokens.
int64_t bytes_of_tokens(const data::Tokeniser& tokeniser, std::span<const int32_t> ids,
                        TokenRange range);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_SCORING_TOKEN_TEXTS_H_
