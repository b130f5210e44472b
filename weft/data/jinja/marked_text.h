// Text that remembers which of its bytes a user typed, so that they never become special tokens.
#ifndef WEFT_DATA_JINJA_MARKED_TEXT_H_
#define WEFT_DATA_JINJA_MARKED_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/data/text/byte_range.h"

namespace weft::data::jinja {

enum class Source { kTemplate, kUser };

// UTF-8 of less than 4 GiB.
class MarkedText {
 public:
  MarkedText() = default;
  explicit MarkedText(std::string text, Source source = Source::kTemplate);

  const std::string& text() const { return text_; }
  size_t size() const { return text_.size(); }
  bool empty() const { return text_.empty(); }
  // The ranges that a user typed: ascending, not adjacent.
  const std::vector<ByteRange>& typed() const { return typed_; }

  void append(std::string_view text, Source source = Source::kTemplate);
  void append(const MarkedText& other) { append(other, 0, other.size()); }
  // A part of another text, in bytes.
  void append(const MarkedText& other, size_t begin, size_t end);
  MarkedText part(size_t begin, size_t end) const;

  // Calls take(text, source) for each longest run of one source, in order.
  template <class Take>
  void for_each_run(Take take) const {
    size_t from = 0;
    const std::string_view all = text_;
    for (const ByteRange& range : typed_) {
      if (from < range.begin) take(all.substr(from, range.begin - from), Source::kTemplate);
      take(all.substr(range.begin, range.end - range.begin), Source::kUser);
      from = range.end;
    }
    if (from < all.size()) take(all.substr(from), Source::kTemplate);
  }

 private:
  void mark(size_t begin, size_t end);

  std::string text_;
  std::vector<ByteRange> typed_;
};

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_MARKED_TEXT_H_
