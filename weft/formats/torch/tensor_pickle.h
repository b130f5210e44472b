// A pickle that holds tensors of PyTorch by name and nothing else. A pickle is a program: this
// reader knows the instructions and the few functions that a state_dict needs, and refuses all
// others, so that nothing of the file is run.
#ifndef WEFT_FORMATS_TORCH_TENSOR_PICKLE_H_
#define WEFT_FORMATS_TORCH_TENSOR_PICKLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::formats {

// A view of a storage, which is a file of its own in the archive.
struct PickledTensor {
  std::string name;
  std::string dtype;                    // "F32"
  std::string storage;                  // its name
  int64_t offset = 0;                   // of the first element in the storage, in elements
  std::vector<int64_t> shape, strides;  // of as many dimensions; strides in elements
};

// In file order; all numbers are 0 or more. Throws FormatError, prefixed with `where`, naming the
// function or the entry that is not supported.
std::vector<PickledTensor> parse_tensor_pickle(std::string_view where, std::string_view pickle);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_TORCH_TENSOR_PICKLE_H_
