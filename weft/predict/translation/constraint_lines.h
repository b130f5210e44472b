// A file of the phrases that each output of a text has to hold.
#ifndef WEFT_PREDICT_TRANSLATION_CONSTRAINT_LINES_H_
#define WEFT_PREDICT_TRANSLATION_CONSTRAINT_LINES_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "weft/data/text/tokeniser.h"
#include "weft/decode/search/constraints.h"

namespace weft::predict {

class ConstraintLines {
 public:
  // The tokens of a phrase.
  using Encode = std::function<decode::Phrase(std::string_view phrase)>;

  // Line i has the words and phrases of output i, separated by tabs, or is empty. Throws what
  // data::read_lines throws, and FormatError where a phrase has the unknown symbol.
  ConstraintLines(const std::string& path, const Encode& encode, int32_t unknown_id);
  ConstraintLines(const std::string& path, const data::Tokeniser& target)
      : ConstraintLines(
            path, [&](std::string_view phrase) { return target.encode(phrase); },
            target.unknown_id()) {}

  // Of a line, counted from 0. Throws FormatError for a line beyond the file's end.
  const std::vector<decode::Phrase>& of(int64_t line) const;

  // Throw FormatError, naming the line, where its phrases have more than `most` tokens together,
  // where one contains a banned phrase, and where the text has another number of lines.
  void check_length(int64_t most) const;
  void check_banned(std::span<const decode::Phrase> banned) const;
  void check_lines(int64_t lines) const;

 private:
  std::string where(size_t line) const;

  std::string path_;
  std::vector<std::vector<decode::Phrase>> lines_;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TRANSLATION_CONSTRAINT_LINES_H_
