// Tokens of a long line from those of its parts, for encoders that take more than linear time.
#ifndef WEFT_DATA_TEXT_WINDOWS_H_
#define WEFT_DATA_TEXT_WINDOWS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace weft::data {

// Shorter lines are encoded as a whole.
inline constexpr size_t kLongLine = 10'000;  // bytes

// A token, and the bytes of the text that it stands for.
struct TokenSpan {
  int32_t id;
  size_t begin, end;
};

// The tokens of a part of the line, in their order. One without text of its own (the space that
// SentencePiece puts before a line, all but the last byte of a character) has begin == end.
using EncodePart = std::function<std::vector<TokenSpan>(std::string_view part)>;

// Encodes windows of the line, each of which overlaps the one before, and passes from one to the
// next at a token that both have at the same place, near the middle of the overlap. A run of
// unknown characters counts as the same wherever it begins and ends, and stays one token. So the
// tokens are those of the whole line except where what decides them lies further off than half an
// overlap. Where the windows share no token, they are set side by side.
std::vector<int32_t> encode_in_windows(std::string_view line, int32_t unknown_id,
                                       const EncodePart& encode);

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_WINDOWS_H_
