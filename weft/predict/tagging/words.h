// Texts of words, for models that label words.
#ifndef WEFT_PREDICT_TAGGING_WORDS_H_
#define WEFT_PREDICT_TAGGING_WORDS_H_

#include <optional>
#include <string>
#include <vector>

#include "weft/predict/line.h"

namespace weft::predict {

struct Words {
  std::vector<std::string> words = {};
  std::optional<Fault> fault = {};  // then there are no words
};

// The words of a line between white space. Those of a line that is not UTF-8 are words, too: what
// is malformed is an unknown character.
Words words_of(const Line& line);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TAGGING_WORDS_H_
