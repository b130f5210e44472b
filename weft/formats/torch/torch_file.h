// Tensors in a file of torch.save, such as pytorch_model.bin.
#ifndef WEFT_FORMATS_TORCH_TORCH_FILE_H_
#define WEFT_FORMATS_TORCH_TORCH_FILE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "weft/formats/torch/torch_header.h"
#include "weft/tensor/tensor.h"

namespace weft {
class MappedFile;
}

namespace weft::formats {

// A memory-mapped file. The archive and its pickle are checked on opening; tensor data is read on
// access.
class TorchFile {
 public:
  // Throws FileError if the file cannot be read, FormatError if it is damaged or holds anything but
  // tensors by name.
  explicit TorchFile(const std::string& path);

  const std::string& path() const { return path_; }
  std::vector<std::string> names() const;
  bool has(const std::string& name) const { return index_.contains(name); }
  // Each of these throws FormatError if no tensor has this name.
  // In F32, dense. Throws FormatError also for another type than F32, F16 and BF16.
  Tensor float32(const std::string& name) const;
  Shape shape(const std::string& name) const;  // throws FormatError for more than 4 dimensions
  const std::string& dtype(const std::string& name) const { return entry(name).dtype; }
  int64_t bytes(const std::string& name) const;  // of its elements
  // Lets the system reclaim the pages of the tensor; they are read again on access.
  void release(const std::string& name) const;

 private:
  const TorchEntry& entry(const std::string& name) const;

  std::string path_;
  std::shared_ptr<const MappedFile> file_;
  std::vector<TorchEntry> entries_;
  std::map<std::string, size_t> index_;
};

}  // namespace weft::formats

#endif  // WEFT_FORMATS_TORCH_TORCH_FILE_H_
