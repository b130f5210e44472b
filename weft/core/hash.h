// FNV-1a over 64-bit integers instead of bytes; the same on every machine.
#ifndef WEFT_CORE_HASH_H_
#define WEFT_CORE_HASH_H_

#include <cstdint>

namespace weft {

class Hash {
 public:
  void add(uint64_t number) { value_ = (value_ ^ number) * 1099511628211u; }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 14695981039346656037u;
};

}  // namespace weft

#endif  // WEFT_CORE_HASH_H_
