#include "weft/data/subwords/models/piece_cache.h"

#include <memory>

#include "weft/data/subwords/models/token_table.h"

namespace weft::data {

PieceCache::~PieceCache() {
  for (const auto& slot : slots_) delete slot.load();
}

const std::vector<PieceToken>* PieceCache::find(std::string_view piece) const {
  const size_t first = hash_of(piece);
  for (size_t i = 0; i < kTries; ++i) {
    const Entry* entry = slots_[(first + i) % kSlots].load(std::memory_order_acquire);
    if (entry == nullptr) return nullptr;
    if (entry->piece == piece) return &entry->tokens;
  }
  return nullptr;
}

void PieceCache::add(std::string_view piece, std::vector<PieceToken> tokens) {
  const size_t first = hash_of(piece);
  auto entry = std::make_unique<const Entry>(Entry{std::string(piece), std::move(tokens)});
  for (size_t i = 0; i < kTries; ++i) {
    const Entry* expected = nullptr;
    if (slots_[(first + i) % kSlots].compare_exchange_strong(expected, entry.get(),
                                                             std::memory_order_acq_rel)) {
      (void)entry.release();
      return;
    }
    if (expected->piece == piece) return;  // another thread was first
  }
}

}  // namespace weft::data
