// Named tensors and text in one file, in Hugging Face's safetensors format. What Weft writes has
// the widest types first and bytes last without holes, and data from a multiple of 64 bytes on, so
// that it is used where it lies in the mapped file.
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

// A file mapped into memory, its header checked as a whole; a tensor's bytes are read when they are
// touched. Tensors keep the mapping alive and must not be written.
class SafetensorsFile {
 public:
  // Throws FileError when the file cannot be read, FormatError when it is damaged or no such file.
  explicit SafetensorsFile(const std::string& path);

  const std::string& path() const { return path_; }
  // The tensors in the order of their bytes, aliases left out.
  const std::vector<SafetensorsEntry>& entries() const { return header_.entries; }
  std::vector<std::string> names() const;
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  const std::map<std::string, std::string>& aliases() const { return header_.aliases; }

  bool has_checksum() const { return header_.checksum.has_value(); }
  // Reads the whole file; throws FormatError where a byte is not what it was when the checksum was
  // made. The file has one.
  void check() const;

  // Tensor or alias.
  bool has(const std::string& name) const { return find(name) != nullptr; }
  // In place; a copy only where a foreign file has it at an address that its type does not allow.
  // Throws FormatError when there is none of that name, its type is not one of Weft's, or it has
  // more than 4 dimensions.
  Tensor tensor(const std::string& name) const;
  // Gives back the memory that reading the tensor has taken; it is read again when touched.
  void release(const std::string& name) const;

 private:
  const SafetensorsEntry* find(const std::string& name) const;
  const SafetensorsEntry& entry(const std::string& name) const;

  std::string path_;
  std::shared_ptr<const MappedFile> file_;
  SafetensorsHeader header_;
  Tensor data_;  // U8, all bytes behind the header: tensors are views into it
  std::map<std::string, size_t> index_;  // of entries
};

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

enum class WithChecksum { kNo, kYes };

// Replaces the file at `path`, atomically. Tensors of one type stand in the order given; the same
// arguments give the same bytes. `aliases` maps further names of tied tensors to names in
// `tensors`. Throws FileError, and FormatError when a name stands twice or is reserved, an alias
// stands for no tensor, a tensor has no storage, or text is not UTF-8.
void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const std::map<std::string, std::string>& metadata = {},
                      const std::map<std::string, std::string>& aliases = {},
                      WithChecksum with_checksum = WithChecksum::kNo);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_SAFETENSORS_H_
