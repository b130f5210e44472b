// Named tensors and metadata in one file, in Hugging Face's safetensors format. Weft writes tensors
// contiguously, the widest types first, starting at a multiple of 64 bytes, so that the mapped file
// can be used in place.
#ifndef WEFT_FORMATS_SAFETENSORS_H_
#define WEFT_FORMATS_SAFETENSORS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weft/formats/safetensors_header.h"
#include "weft/tensor/tensor.h"

namespace weft {
class MappedFile;
}

namespace weft::formats {

// A memory-mapped file. The whole header is validated on opening; tensor data is read on access.
// Tensors keep the mapping alive and are read-only.
class SafetensorsFile {
 public:
  // Throws FileError if the file cannot be read, FormatError if it is damaged or not a safetensors
  // file.
  explicit SafetensorsFile(const std::string& path);

  const std::string& path() const { return path_; }
  // The tensors in file order, without aliases.
  const std::vector<SafetensorsEntry>& entries() const { return header_.entries; }
  std::vector<std::string> names() const;
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  const std::map<std::string, std::string>& aliases() const { return header_.aliases; }

  bool has_checksum() const { return header_.checksum.has_value(); }
  // Its 16 hexadecimal digits; empty for a file without one.
  std::string checksum() const {
    return header_.checksum ? checksum_digits(*header_.checksum) : std::string();
  }
  // Reads the whole file and throws FormatError if the checksum does not match. Requires
  // has_checksum().
  void check() const;

  // Whether a tensor or alias of this name exists.
  bool has(const std::string& name) const { return find(name) != nullptr; }
  // A view of the mapped data, or a copy if the data is misaligned for its type, which only happens
  // in files not written by Weft. F16 becomes F32, a copy. Throws FormatError if no tensor has this
  // name, its type is not a DType, or it has more than 4 dimensions.
  Tensor tensor(const std::string& name) const;
  // Its shape alone. Throws FormatError if no tensor has this name or it has more than 4
  // dimensions.
  Shape shape(const std::string& name) const;
  // The name of its type in the file, such as "F16". Throws FormatError if no tensor has this name.
  const std::string& dtype(const std::string& name) const { return entry(name).dtype; }
  // The bytes of the tensor in the file. Throws the same.
  int64_t bytes(const std::string& name) const;
  // Lets the system reclaim the pages of the tensor; they are read again on access.
  void release(const std::string& name) const;

 private:
  const SafetensorsEntry* find(const std::string& name) const;
  const SafetensorsEntry& entry(const std::string& name) const;

  std::string path_;
  std::shared_ptr<const MappedFile> file_;
  SafetensorsHeader header_;
  Tensor data_;                          // U8, all bytes after the header; tensors are views of it
  std::map<std::string, size_t> index_;  // name or alias to index in entries
};

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

enum class WithChecksum { kNo, kYes };

// Writes the file atomically. Tensors of one type keep the given order; the output is
// deterministic. `aliases` maps additional names of tied tensors to names in `tensors`. Throws
// FileError, and FormatError for a duplicate or reserved name, an alias of a missing tensor, an
// empty tensor, and text that is not UTF-8.
void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const std::map<std::string, std::string>& metadata = {},
                      const std::map<std::string, std::string>& aliases = {},
                      WithChecksum with_checksum = WithChecksum::kNo);

// The same for F32 tensors, rounded to F16.
void save_float16_safetensors(const std::string& path, const NamedTensors& tensors,
                              const std::map<std::string, std::string>& metadata = {});

}  // namespace weft::formats

#endif  // WEFT_FORMATS_SAFETENSORS_H_
