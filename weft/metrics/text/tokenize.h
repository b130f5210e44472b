// sacreBLEU's tokenisers (Post 2018, arXiv:1804.08771): how text is split before n-grams are
// counted.
#ifndef WEFT_METRICS_TEXT_TOKENIZE_H_
#define WEFT_METRICS_TEXT_TOKENIZE_H_

#include <string>
#include <string_view>
#include <vector>

namespace weft::metrics {

enum class Tokenizer {
  k13a,   // WMT's mteval-v13a, the default
  kNone,  // whitespace only, for tokenised text
  kChar,  // each character is a token
  kZh,    // each Chinese character is a token; the rest as 13a, without entities
};

// The name in sacreBLEU's --tokenize and signature.
std::string_view name_of(Tokenizer tokenizer);
// The inverse of name_of. Throws OptionError, listing the choices.
Tokenizer tokenizer_of(std::string_view name);

// The tokens of one line, as code points.
std::vector<std::u32string> tokenize(Tokenizer tokenizer, std::u32string_view line);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_TEXT_TOKENIZE_H_
