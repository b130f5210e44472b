#include "weft/data/jinja/marked_text.h"

#include <algorithm>

namespace weft::data::jinja {

MarkedText::MarkedText(std::string text, Source source) : text_(std::move(text)) {
  if (source == Source::kUser) mark(0, text_.size());
}

void MarkedText::mark(size_t begin, size_t end) {
  if (begin == end) return;
  const auto from = static_cast<uint32_t>(begin), to = static_cast<uint32_t>(end);
  if (!typed_.empty() && typed_.back().end == from) {
    typed_.back().end = to;
  } else {
    typed_.push_back({from, to});
  }
}

void MarkedText::append(std::string_view text, Source source) {
  const size_t begin = text_.size();
  text_ += text;
  if (source == Source::kUser) mark(begin, text_.size());
}

void MarkedText::append(const MarkedText& other, size_t begin, size_t end) {
  const size_t base = text_.size();
  text_.append(other.text_, begin, end - begin);
  auto range = std::ranges::lower_bound(other.typed_, begin + 1, {}, &ByteRange::end);
  for (; range != other.typed_.end() && range->begin < end; ++range) {
    mark(base + std::max<size_t>(range->begin, begin) - begin,
         base + std::min<size_t>(range->end, end) - begin);
  }
}

MarkedText MarkedText::part(size_t begin, size_t end) const {
  MarkedText out;
  out.append(*this, begin, end);
  return out;
}

}  // namespace weft::data::jinja
