// The header of a .safetensors file: 8 bytes of little-endian length, then a JSON object of
//   "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}
// and "__metadata__": {string: string}. The tensor data follows.
#ifndef WEFT_FORMATS_SAFETENSORS_HEADER_H_
#define WEFT_FORMATS_SAFETENSORS_HEADER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::formats {

struct SafetensorsEntry {
  std::string name;
  std::string dtype;           // as in the file; not necessarily a DType
  std::vector<int64_t> shape;  // of any rank
  uint64_t begin = 0;          // byte offsets from the end of the header
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;        // in file order
  std::map<std::string, std::string> metadata;  // without the aliases
  std::map<std::string, std::string> aliases;   // alias to tensor name
  uint64_t data_begin = 0;                      // byte offset in the file
  // XXH3 of the whole file, computed with the 16 hexadecimal digits of the checksum set to 0. Not
  // part of `metadata`. nullopt if the file has no checksum.
  std::optional<uint64_t> checksum = {};
  uint64_t checksum_begin = 0;  // byte offset of its digits in the file
};

// Parses and validates the header of the file with contents `file`: all offsets lie inside the
// file, tensors are contiguous without overlap, every shape matches its number of bytes, and names
// are unique. Throws FormatError, prefixed with `where`, naming the tensor.
SafetensorsHeader parse_safetensors_header(std::string_view where, std::string_view file);

// The encoded header of a file with these entries, padded to a multiple of 64 bytes. Throws
// FormatError for duplicate or reserved names and text that is not UTF-8.
std::string safetensors_header_text(std::string_view where, const SafetensorsHeader& header);

// The 16 digits of a checksum, as in a header.
std::string checksum_digits(uint64_t checksum);
// The byte offset of these digits in an encoded header, or npos.
size_t find_checksum(std::string_view header);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_SAFETENSORS_HEADER_H_
