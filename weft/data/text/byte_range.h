// A range of bytes of a text.
#ifndef WEFT_DATA_TEXT_BYTE_RANGE_H_
#define WEFT_DATA_TEXT_BYTE_RANGE_H_

#include <cstdint>

namespace weft::data {

struct ByteRange {
  uint32_t begin = 0, end = 0;
  bool operator==(const ByteRange&) const = default;
};

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_BYTE_RANGE_H_
