// The text of a continuation.
#ifndef WEFT_PREDICT_GENERATION_CONTINUATION_H_
#define WEFT_PREDICT_GENERATION_CONTINUATION_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/text/tokeniser.h"

namespace weft::predict {

// What tokens add to the text of a prompt: a tokeniser may leave out the space before the first
// word of a text, but not before one in it.
class Continuation {
 public:
  // The tokeniser has to outlive it.
  Continuation(const data::Tokeniser& tokeniser, std::span<const int32_t> prompt);
  std::string operator()(std::span<const int32_t> tokens) const;

 private:
  const data::Tokeniser* tokeniser_;
  std::vector<int32_t> before_;  // the end of the prompt
  std::string text_before_;
};

// The length of the text before the first stop string in it, or before what may become one.
size_t length_before_stop(std::string_view text, std::span<const std::string> stop);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_GENERATION_CONTINUATION_H_
