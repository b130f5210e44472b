// Where the tensors of a file of torch.save are: a zip archive with a pickle, and the storages of
// its tensors as files.
#ifndef WEFT_FORMATS_TORCH_TORCH_HEADER_H_
#define WEFT_FORMATS_TORCH_TORCH_HEADER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::formats {

struct TorchEntry {
  std::string name;
  std::string dtype;                    // "F32", "F16", "BF16", "F64", "I64", ...
  std::vector<int64_t> shape, strides;  // of as many dimensions; strides in elements
  uint64_t begin = 0;                   // byte offset of its first element in the file
  uint64_t bytes = 0;                   // of all its elements
};

// Parses the file with contents `file`, in file order: all elements lie inside of their storage.
// Throws FormatError, prefixed with `where`, naming the tensor.
std::vector<TorchEntry> parse_torch_file(std::string_view where, std::string_view file);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_TORCH_TORCH_HEADER_H_
