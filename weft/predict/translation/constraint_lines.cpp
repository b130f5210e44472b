#include "weft/predict/translation/constraint_lines.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"
#include "weft/core/text/counted.h"
#include "weft/data/text/tab_fields.h"
#include "weft/data/text/text_file.h"

namespace weft::predict {

ConstraintLines::ConstraintLines(const std::string& path, const Encode& encode, int32_t unknown_id)
    : path_(path) {
  for (const std::string& line : data::read_lines(path)) {
    std::vector<decode::Phrase>& phrases = lines_.emplace_back();
    for (const std::string_view text : data::tab_fields(line)) {
      decode::Phrase ids = encode(text);
      if (ids.empty()) continue;
      if (std::ranges::count(ids, unknown_id) > 0) {
        fail<FormatError>(where(lines_.size() - 1),
                          "{} cannot be spelled; expected words of the target vocabulary",
                          quote(text));
      }
      phrases.push_back(std::move(ids));
    }
  }
}

const std::vector<decode::Phrase>& ConstraintLines::of(int64_t line) const {
  if (line >= std::ssize(lines_)) {
    fail<FormatError>(path_, "has {}; expected one for each line of the text, which has more",
                      counted(std::ssize(lines_), "line"));
  }
  return lines_[static_cast<size_t>(line)];
}

void ConstraintLines::check_length(int64_t most) const {
  for (size_t i = 0; i < lines_.size(); ++i) {
    const int64_t tokens = decode::Constraints(lines_[i]).tokens();
    if (tokens > most) {
      fail<FormatError>(where(i), "demands {} tokens; expected at most {}, as an output may have",
                        tokens, most);
    }
  }
}

void ConstraintLines::check_banned(std::span<const decode::Phrase> banned) const {
  for (size_t i = 0; i < lines_.size(); ++i) {
    for (size_t p = 0; p < lines_[i].size(); ++p) {
      const decode::Phrase& phrase = lines_[i][p];
      for (const decode::Phrase& b : banned) {
        if (std::search(phrase.begin(), phrase.end(), b.begin(), b.end()) == phrase.end()) continue;
        fail<FormatError>(where(i), "phrase {} is demanded and banned; expected one of them",
                          p + 1);
      }
    }
  }
}

void ConstraintLines::check_lines(int64_t lines) const {
  if (lines == std::ssize(lines_)) return;
  fail<FormatError>(path_, "has {}; expected {}, one for each line of the text",
                    counted(std::ssize(lines_), "line"), lines);
}

std::string ConstraintLines::where(size_t line) const {
  return fmt::format("{}:{}", path_, line + 1);
}

}  // namespace weft::predict
