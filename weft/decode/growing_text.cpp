#include "weft/decode/growing_text.h"

#include <algorithm>

#include "weft/data/sentence_ends.h"

namespace weft::decode {

void GrowingText::decide(size_t piece, std::span<const int32_t> tokens, bool is_over) {
  texts_[piece] = spell_(tokens);
  is_over_[piece] = is_over;
  size_t known = 0;
  while (known < texts_.size() && is_over_[known]) ++known;
  if (known < texts_.size()) ++known;
  const std::string text = data::join_sentences(std::span(texts_).first(known));
  const size_t space = text.rfind(' ');
  if (space == text.npos || space <= told_.size()) return;
  tell_(std::string_view(text).substr(told_.size(), space - told_.size()));
  told_ = text.substr(0, space);
}

void GrowingText::finish(std::string_view line) {
  tell_(line.substr(std::min(told_.size(), line.size())));
}

}  // namespace weft::decode
