#include "weft/predict/translation/incremental_detokeniser.h"

#include <algorithm>

#include "weft/data/text/sentence_ends.h"

namespace weft::predict {

void IncrementalDetokeniser::decide(size_t piece, std::span<const int32_t> tokens,
                                    bool is_finished) {
  texts_[piece] = detokenise_(tokens);
  is_finished_[piece] = is_finished;
  size_t known = 0;  // the finished pieces at the start of the line, and one more
  while (known < texts_.size() && is_finished_[known]) ++known;
  if (known < texts_.size()) ++known;
  const std::string text = data::join_sentences(std::span(texts_).first(known));
  const size_t space = text.rfind(' ');
  if (space == text.npos || space <= passed_) return;
  callback_(std::string_view(text).substr(passed_, space - passed_));
  passed_ = space;
}

void IncrementalDetokeniser::finish(std::string_view line) {
  callback_(line.substr(std::min(passed_, line.size())));
}

}  // namespace weft::predict
