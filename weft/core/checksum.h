// A checksum that finds damage: bytes changed by a disk, a network or a program. It is no
// protection against somebody who changes them on purpose.
#ifndef WEFT_CORE_CHECKSUM_H_
#define WEFT_CORE_CHECKSUM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace weft {

// XXH3 with 64 bits (Collet, xxhash.com), of bytes that come in parts.
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

}  // namespace weft

#endif  // WEFT_CORE_CHECKSUM_H_
