// sacreBLEU's tokenisers (Post 2018, arXiv:1804.08771): how text is cut before n-grams are counted.
#ifndef WEFT_METRICS_TOKENIZE_H_
#define WEFT_METRICS_TOKENIZE_H_

#include <string>
#include <string_view>
#include <vector>

namespace weft::metrics {

enum class Tokenizer {
  k13a,   // WMT's mteval-v13a, the default
  kNone,  // white space only: text already tokenised
  kChar,  // every character a token
  kZh,    // every Chinese character a token, the rest as 13a without entities
};

// As sacreBLEU's --tokenize and signature spell it.
std::string_view name_of(Tokenizer tokenizer);
// The inverse of name_of; throws OptionError naming the choices.
Tokenizer tokenizer_of(std::string_view name);

// The tokens of one line, as code points.
std::vector<std::u32string> tokenize(Tokenizer tokenizer, std::u32string_view line);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_TOKENIZE_H_
