// The characters of words, for encoders that read them beside the words themselves.
#ifndef WEFT_DATA_LABELS_WORD_CHARACTERS_H_
#define WEFT_DATA_LABELS_WORD_CHARACTERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/data/labels/labelled_text.h"
#include "weft/data/text/tokeniser.h"

namespace weft::data {

struct WordCharacters {
  TokeniserPtr vocabulary;  // null: characters are not read
  int64_t max_length = 0;   // code points of a word, the others after them left out; 0: any

  explicit operator bool() const { return vocabulary != nullptr; }
  // Appends the begin symbol, the ids of the word's code points, and the end symbol, by which words
  // are distinguished: no text becomes one.
  void append(std::string_view word, std::vector<int32_t>& ids) const;
};

// A vocabulary of the characters of the text's words, those seen at least `min_count` times. Throws
// as reading the text does.
TokeniserPtr make_character_vocabulary(const std::vector<std::string>& files,
                                       const LabelledTextOptions& options, int64_t min_count);

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_WORD_CHARACTERS_H_
