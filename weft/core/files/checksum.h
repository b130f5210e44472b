// A checksum that detects accidental damage by a disk, a network or a program. It does not protect
// against deliberate changes.
#ifndef WEFT_CORE_FILES_CHECKSUM_H_
#define WEFT_CORE_FILES_CHECKSUM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace weft {

// Streaming 64-bit XXH3 (Collet, xxhash.com).
class Checksum {
 public:
  Checksum();
  ~Checksum();
  void add(const void* data, size_t bytes);
  void add(std::string_view text) { add(text.data(), text.size()); }
  uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Adds the bytes of a file, compressed or not, and returns their number. Throws FileError for a
// file that cannot be read and for what is not a regular file.
uint64_t add_file(const std::string& path, Checksum& sum);

// That of bytes in one piece.
uint64_t checksum_of(const void* data, size_t bytes);
template <class Number>
uint64_t checksum_of(std::span<const Number> numbers) {
  return checksum_of(numbers.data(), numbers.size_bytes());
}

}  // namespace weft

#endif  // WEFT_CORE_FILES_CHECKSUM_H_
