// Plain text, a text a line.
#ifndef WEFT_DATA_SEQUENCES_PLAIN_TEXTS_H_
#define WEFT_DATA_SEQUENCES_PLAIN_TEXTS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::data {

// A line of a file, or of pairs the two texts of it, which have a tab between them.
struct PlainText {
  std::string_view text, pair = {};
  std::string_view where = {};  // "lines.txt:7"
};

// Calls take(text) for each line with a word. Throws what reading throws, and FormatError, naming
// file and line, for text that is not UTF-8, a line that is too long, and, with pairs, a line that
// is not two texts.
void read_plain_texts(const std::vector<std::string>& files, bool has_pairs,
                      const std::function<void(const PlainText&)>& take);

}  // namespace weft::data

#endif  // WEFT_DATA_SEQUENCES_PLAIN_TEXTS_H_
