#include "weft/data/subwords/models/token_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace weft::data {
namespace {

constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio

uint64_t mixed(uint64_t x) {
  x *= kMultiplier;
  return x ^ x >> 32;
}

uint64_t pair_of(int32_t left, int32_t right) {
  return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
}

}  // namespace

uint64_t hash_of(std::string_view text) {
  uint64_t hash = text.size();
  while (text.size() >= 8) {
    uint64_t word;
    std::memcpy(&word, text.data(), 8);
    hash = mixed(hash ^ word);
    text.remove_prefix(8);
  }
  uint64_t rest = 0;
  std::memcpy(&rest, text.data(), text.size());
  return mixed(mixed(hash ^ rest));
}

TokenTable::TokenTable(size_t tokens) : slots_(std::bit_ceil(2 * tokens + 1)) {}

size_t TokenTable::slot_of(std::string_view text) const {
  const size_t mask = slots_.size() - 1;
  size_t i = hash_of(text) & mask;
  while (slots_[i].text != nullptr && std::string_view(slots_[i].text, slots_[i].size) != text) {
    i = (i + 1) & mask;
  }
  return i;
}

void TokenTable::add(std::string_view text, int32_t id) {
  Slot& slot = slots_[slot_of(text)];
  if (slot.text == nullptr) ++size_;
  slot = {text.data(), static_cast<uint32_t>(text.size()), id};
  longest_ = std::max(longest_, text.size());
}

int32_t TokenTable::find(std::string_view text) const { return slots_[slot_of(text)].id; }

MergeTable::MergeTable(size_t merges) : slots_(std::bit_ceil(2 * merges + 1)) {}

size_t MergeTable::slot_of(uint64_t pair) const {
  const size_t mask = slots_.size() - 1;
  size_t i = mixed(pair) & mask;
  while (slots_[i].pair != UINT64_MAX && slots_[i].pair != pair) i = (i + 1) & mask;
  return i;
}

void MergeTable::add(int32_t left, int32_t right, Merge merge) {
  const uint64_t pair = pair_of(left, right);
  slots_[slot_of(pair)] = {pair, merge};
}

Merge MergeTable::find(int32_t left, int32_t right) const {
  return slots_[slot_of(pair_of(left, right))].merge;
}

}  // namespace weft::data
