#include "weft/kernels/cpu/scratch.h"

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

namespace weft::kernels::cpu {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr int64_t kFirstBlock = 1 << 16;  // floats

struct Release {
  void operator()(float* p) const { ::operator delete(p, kAlignment); }
};

struct Block {
  explicit Block(int64_t floats)
      : data(static_cast<float*>(::operator new(floats * sizeof(float), kAlignment))),
        size(floats) {}
  std::unique_ptr<float, Release> data;
  int64_t size;
};

// A list, so that allocated memory does not move when blocks are added.
struct Arena {
  std::vector<Block> blocks;
  size_t block = 0;  // index of the current block
  int64_t used = 0;  // floats used in the current block
};

Arena& arena() {
  thread_local Arena one;
  return one;
}

}  // namespace

Scratch::Scratch() {
  Arena& a = arena();
  a.block = 0;
  a.used = 0;
  if (a.blocks.size() <= 1) return;
  int64_t total = 0;
  for (const Block& b : a.blocks) total += b.size;
  a.blocks.clear();
  a.blocks.emplace_back(total);
}

float* Scratch::allocate(int64_t floats) {
  Arena& a = arena();
  const int64_t size = (floats + 15) / 16 * 16;
  while (a.block < a.blocks.size() && a.used + size > a.blocks[a.block].size) {
    ++a.block;
    a.used = 0;
  }
  if (a.block == a.blocks.size()) a.blocks.emplace_back(std::max(size, kFirstBlock));
  float* out = a.blocks[a.block].data.get() + a.used;
  a.used += size;
  return out;
}

Scratch::Mark::Mark(Scratch&) : block_(arena().block), used_(arena().used) {}

Scratch::Mark::~Mark() {
  arena().block = block_;
  arena().used = used_;
}

}  // namespace weft::kernels::cpu
