// The ids of tokens by their text: a flat hash map over text that others own.
#ifndef WEFT_DATA_SUBWORDS_MODELS_TOKEN_TABLE_H_
#define WEFT_DATA_SUBWORDS_MODELS_TOKEN_TABLE_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace weft::data {

uint64_t hash_of(std::string_view text);

class TokenTable {
 public:
  explicit TokenTable(size_t tokens);

  // `text` must live as long as the table. An id that the text has already is replaced.
  void add(std::string_view text, int32_t id);
  // -1: not in the table.
  int32_t find(std::string_view text) const;
  size_t size() const { return size_; }
  size_t longest() const { return longest_; }  // bytes of a token

 private:
  struct Slot {
    const char* text = nullptr;
    uint32_t size = 0;
    int32_t id = -1;
  };

  size_t slot_of(std::string_view text) const;

  std::vector<Slot> slots_;  // a power of two, at most half full
  size_t size_ = 0, longest_ = 0;
};

// What two adjacent tokens merge to, by a flat hash map over pairs of ids.
struct Merge {
  uint32_t rank = UINT32_MAX;  // lower ones first; the largest: none
  int32_t id = -1;
};

class MergeTable {
 public:
  explicit MergeTable(size_t merges);

  // A merge that the pair has already is replaced.
  void add(int32_t left, int32_t right, Merge merge);
  // With rank UINT32_MAX if the pair does not merge.
  Merge find(int32_t left, int32_t right) const;

 private:
  struct Slot {
    uint64_t pair = UINT64_MAX;  // none
    Merge merge;
  };

  size_t slot_of(uint64_t pair) const;

  std::vector<Slot> slots_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_MODELS_TOKEN_TABLE_H_
