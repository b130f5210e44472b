#include "weft/core/files/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <vector>

#include "weft/core/files/positioned_file.h"

namespace weft {

struct Checksum::State {
  XXH3_state_t xxh3;
};

Checksum::Checksum() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->xxh3); }

Checksum::~Checksum() = default;

void Checksum::add(const void* data, size_t bytes) {
  XXH3_64bits_update(&state_->xxh3, data, bytes);
}

uint64_t Checksum::value() const { return XXH3_64bits_digest(&state_->xxh3); }

uint64_t add_file(const std::string& path, Checksum& sum) {
  const PositionedFile file(path);
  std::vector<char> block(size_t{1} << 20);
  uint64_t size = 0;
  while (const size_t got = file.read(size, block.data(), block.size())) {
    sum.add(block.data(), got);
    size += got;
  }
  return size;
}

uint64_t checksum_of(const void* data, size_t bytes) { return XXH3_64bits(data, bytes); }

}  // namespace weft
