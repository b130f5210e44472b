// The header of a .safetensors file: 8 bytes of little-endian length, then a JSON object of
//   "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}
// and "__metadata__": {string: string}; the tensors' bytes follow, from the header's end on.
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
  std::string dtype;           // as the file spells it, which may be one that Weft has not
  std::vector<int64_t> shape;  // of any rank
  uint64_t begin = 0;          // bytes, from the end of the header
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;        // in the order of their bytes
  std::map<std::string, std::string> metadata;  // without the aliases
  std::map<std::string, std::string> aliases;   // alias to the name it stands for
  uint64_t data_begin = 0;                      // bytes from the file's start
  // XXH3 of the whole file, as 16 hexadecimal digits that count as zeros themselves; not among the
  // metadata. None: the file has no checksum.
  std::optional<uint64_t> checksum = {};
  uint64_t checksum_begin = 0;  // of its digits, bytes from the file's start
};

// Reads and checks the header of the file whose bytes are `file`: nothing in the result points
// outside of it, tensors lie one after another without overlap or hole, every shape fits its bytes,
// and no name stands twice. Throws FormatError, `where: ...`, naming the tensor.
SafetensorsHeader parse_safetensors_header(std::string_view where, std::string_view file);

// The first bytes of a file with these entries, a multiple of 64 of them. Throws FormatError when a
// name or the metadata is not UTF-8.
std::string safetensors_header_text(std::string_view where, const SafetensorsHeader& header);

// The digits of a checksum, as they stand in a header.
std::string checksum_digits(uint64_t checksum);
// Where they stand in such first bytes of a file, or npos.
size_t find_checksum(std::string_view header);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_SAFETENSORS_HEADER_H_
