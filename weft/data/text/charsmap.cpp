#include "weft/data/text/charsmap.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"

namespace weft::data {
namespace {

constexpr size_t kUnitBytes = 4;
constexpr int32_t kMaxMatches = 32;
constexpr int32_t kMaxBytes = 256;  // of a rule's text and of its replacement

uint32_t read_uint32(std::string_view bytes, size_t offset) {
  uint32_t value = 0;
  for (size_t i = kUnitBytes; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  }
  return value;
}

// The children of a unit at p stand at `base = p ^ offset`: that of byte c at base ^ c where its
// label is c, and the value of the unit itself, where it has one, at base.
struct Unit {
  uint32_t bits;
  bool is_value() const { return bits >> 31 != 0; }
  bool has_value() const { return (bits >> 8 & 1) != 0; }
  uint32_t value() const { return bits & 0x7FFFFFFFu; }
  uint32_t label() const { return bits & 0xFFu; }
  uint32_t offset() const { return bits >> 10 << ((bits & 1u << 9) >> 6); }
};

// Bytes of the replacement that begins at each place, its NUL not counted; -1 where it is not UTF-8
// or has no end.
std::vector<int64_t> replacement_sizes(std::string_view replacements) {
  std::vector<int64_t> sizes(replacements.size() + 1, -1);
  for (size_t i = replacements.size(); i-- > 0;) {
    const size_t length = utf8_length(replacements.substr(i));
    if (replacements[i] == '\0') {
      sizes[i] = 0;
    } else if (length > 0 && sizes[i + length] >= 0) {
      sizes[i] = sizes[i + length] + static_cast<int64_t>(length);
    }
  }
  return sizes;
}

class Checker {
 public:
  Checker(std::string_view trie, std::string_view replacements, std::string_view where)
      : where_(where), sizes_(replacement_sizes(replacements)) {
    for (size_t at = 0; at < trie.size(); at += kUnitBytes) {
      units_.push_back({read_uint32(trie, at)});
    }
  }

  void check() {
    if (units_[0].is_value()) fail<FormatError>(where_, "its first unit is no root");
    for (size_t i = 0; i < units_.size(); ++i) {
      if (!units_[i].is_value()) check_unit(i);
    }
    link_children();
    check_paths();
  }

 private:
  uint32_t base_of(size_t unit) const {
    return static_cast<uint32_t>(unit) ^ units_[unit].offset();
  }

  void check_unit(size_t i) const {
    // A byte changes the last eight bits alone.
    const uint32_t base = base_of(i);
    if ((base | 0xFFu) >= units_.size()) {
      fail<FormatError>(where_, "unit {} leads to {}; expected less than {}", i, base | 0xFFu,
                        units_.size());
    }
    if (!units_[i].has_value()) return;
    const uint32_t value = units_[base].value();
    if (value >= sizes_.size() || sizes_[value] < 0 || sizes_[value] > kMaxBytes) {
      fail<FormatError>(where_,
                        "unit {} has its replacement at byte {}; expected UTF-8 of at most {} "
                        "bytes inside the table",
                        i, value, kMaxBytes);
    }
  }

  // Units are listed by the base that they are children of, so that bases many units share are
  // followed once.
  void link_children() {
    first_.assign(units_.size(), -1);
    next_.assign(units_.size(), -1);
    for (size_t i = 0; i < units_.size(); ++i) {
      if (units_[i].is_value()) continue;
      const size_t base = i ^ units_[i].label();
      if (base >= units_.size()) continue;
      next_[i] = first_[base];
      first_[base] = static_cast<int32_t>(i);
    }
  }

  // Depth first from the root, without recursion: a path may be as long as there are units.
  void check_paths() {
    constexpr int32_t kOpen = -1, kNew = -2;
    std::vector<int32_t> matches(units_.size(), kNew);  // the most on a path from a base
    std::vector<int32_t> bytes(units_.size(), 0);       // of the longest path from a base
    std::vector<std::pair<uint32_t, int32_t>> path;     // a base, and its child to follow
    const auto open = [&](uint32_t base) {
      matches[base] = kOpen;
      path.emplace_back(base, first_[base]);
    };
    open(base_of(0));
    while (!path.empty()) {
      auto& [base, child] = path.back();
      if (child >= 0) {
        const uint32_t after = base_of(child);
        if (matches[after] == kOpen) fail<FormatError>(where_, "its units lead round in a circle");
        if (matches[after] == kNew) {
          open(after);  // and this child once more when that is done
        } else {
          child = next_[child];
        }
        continue;
      }
      int32_t most = 0;
      for (int32_t i = first_[base]; i >= 0; i = next_[i]) {
        most = std::max(most, matches[base_of(i)] + (units_[i].has_value() ? 1 : 0));
        bytes[base] = std::max(bytes[base], bytes[base_of(i)] + 1);
      }
      if (most > kMaxMatches) {
        fail<FormatError>(where_, "over {} rules begin with each other", kMaxMatches);
      }
      if (bytes[base] > kMaxBytes) {
        fail<FormatError>(where_, "a rule is longer than {} bytes", kMaxBytes);
      }
      matches[base] = most;
      path.pop_back();
    }
  }

  std::string_view where_;
  std::vector<Unit> units_;
  std::vector<int64_t> sizes_;
  std::vector<int32_t> first_, next_;  // children of a base, -1 at the end
};

}  // namespace

void check_charsmap(std::string_view table, std::string_view where) {
  if (table.size() < kUnitBytes) fail<FormatError>(where, "the table has no size");
  const uint32_t trie_bytes = read_uint32(table, 0);
  table.remove_prefix(kUnitBytes);
  if (trie_bytes == 0 || trie_bytes % kUnitBytes != 0 || trie_bytes >= table.size()) {
    fail<FormatError>(where, "a trie of {} bytes; expected a multiple of {} and less than {}",
                      trie_bytes, kUnitBytes, table.size());
  }
  Checker(table.substr(0, trie_bytes), table.substr(trie_bytes), where).check();
}

Charsmap::Charsmap(std::string table, std::string_view where) : table_(std::move(table)) {
  check_charsmap(table_, where);
  trie_end_ = kUnitBytes + read_uint32(table_, 0);
}

std::optional<std::string_view> Charsmap::first_replacement(std::string_view text) const {
  const auto unit_at = [&](uint32_t i) {
    return Unit{read_uint32(table_, kUnitBytes + kUnitBytes * size_t{i})};
  };
  uint32_t base = unit_at(0).offset();
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const uint32_t child = base ^ byte;
    const Unit unit = unit_at(child);
    if (unit.is_value() || unit.label() != byte) return {};
    base = child ^ unit.offset();
    if (!unit.has_value()) continue;
    const size_t begin = trie_end_ + unit_at(base).value();
    return std::string_view(table_).substr(begin, table_.find('\0', begin) - begin);
  }
  return {};
}

}  // namespace weft::data
