#include "weft/data/text/windows.h"

#include <algorithm>

#include "weft/core/text/utf8.h"

namespace weft::data {
namespace {

constexpr size_t kWindow = 8192, kOverlap = 1024;  // bytes
constexpr size_t kLongestCharacter = 4;

// The nearest place at or before `offset` that is not inside a code point.
size_t character_begin(std::string_view line, size_t offset) {
  const size_t least = offset < kLongestCharacter ? 0 : offset - kLongestCharacter;
  for (size_t begin = offset; begin > least; --begin) {
    if (begin == line.size() || utf8_length(line.substr(begin)) > 0) return begin;
  }
  return offset;  // no UTF-8
}

struct Seam {
  size_t left, right;  // the shared token's index in each window
};

// The token that both windows have and that is nearest to `middle`; false where there is none.
bool find_seam(const std::vector<TokenSpan>& left, const std::vector<TokenSpan>& right,
               int32_t unknown_id, size_t middle, Seam& seam) {
  size_t nearest = kWindow;
  size_t i = 0, j = 0;
  while (i < left.size() && j < right.size()) {
    const TokenSpan &a = left[i], &b = right[j];
    const size_t begin = std::max(a.begin, b.begin), end = std::min(a.end, b.end);
    const bool is_same = a.id == b.id && begin < end &&
                         (a.id == unknown_id || (a.begin == b.begin && a.end == b.end));
    if (is_same) {
      const size_t distance = middle < begin ? begin - middle : middle > end ? middle - end : 0;
      if (distance < nearest) {
        nearest = distance;
        seam = {i, j};
      }
    }
    a.end <= b.end ? ++i : ++j;
  }
  return nearest < kWindow;
}

}  // namespace

std::vector<int32_t> encode_in_windows(std::string_view line, int32_t unknown_id,
                                       const EncodePart& encode) {
  const auto encode_at = [&](size_t begin, size_t end) {
    std::vector<TokenSpan> tokens = encode(line.substr(begin, end - begin));
    for (TokenSpan& token : tokens) {
      token.begin += begin;
      token.end += begin;
    }
    return tokens;
  };
  const auto end_of_window = [&](size_t begin) {
    return character_begin(line, std::min(begin + kWindow, line.size()));
  };
  std::vector<int32_t> ids;
  const auto take = [&](const std::vector<TokenSpan>& tokens, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) ids.push_back(tokens[i].id);
  };
  size_t end = end_of_window(0), from = 0;
  std::vector<TokenSpan> tokens = encode_at(0, end);
  while (end < line.size()) {
    const size_t begin = character_begin(line, end - kOverlap);
    size_t next_end = end_of_window(begin);
    std::vector<TokenSpan> next = encode_at(begin, next_end);
    Seam seam{};
    if (find_seam(tokens, next, unknown_id, end - kOverlap / 2, seam) && seam.left >= from) {
      take(tokens, from, seam.left);
      from = seam.right;
    } else {
      take(tokens, from, tokens.size());
      next_end = end_of_window(end);
      next = encode_at(end, next_end);
      from = 0;
    }
    tokens = std::move(next);
    end = next_end;
  }
  take(tokens, from, tokens.size());
  return ids;
}

}  // namespace weft::data
