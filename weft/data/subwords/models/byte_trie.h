// A trie over bytes: which strings of a set a text begins with.
#ifndef WEFT_DATA_SUBWORDS_MODELS_BYTE_TRIE_H_
#define WEFT_DATA_SUBWORDS_MODELS_BYTE_TRIE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::data {

class ByteTrie {
 public:
  ByteTrie() : ByteTrie(std::vector<std::pair<std::string_view, int32_t>>()) {}
  // Values are 0 or more; of equal strings the first counts. The empty string is left out.
  explicit ByteTrie(std::vector<std::pair<std::string_view, int32_t>> strings);

  // Calls take(size, value) for each string that `text` begins with, the shortest first.
  template <class Take>
  void for_each_prefix(std::string_view text, Take&& take) const {
    if (text.empty()) return;
    uint32_t node = first_[static_cast<unsigned char>(text[0])];
    for (size_t i = 1; node != kNone; ++i) {
      if (nodes_[node].value >= 0) take(i, nodes_[node].value);
      if (i == text.size()) return;
      node = child(node, static_cast<unsigned char>(text[i]));
    }
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Node {
    int32_t value = -1;
    uint32_t children = 0;  // the first; they are neighbours, in the order of their bytes
    uint32_t count = 0;
  };

  uint32_t child(uint32_t node, unsigned char byte) const {
    const auto begin = bytes_.begin() + nodes_[node].children;
    const auto end = begin + nodes_[node].count;
    const auto found = std::lower_bound(begin, end, byte);
    return found == end || *found != byte ? kNone : static_cast<uint32_t>(found - bytes_.begin());
  }

  std::array<uint32_t, 256> first_;  // the nodes of first bytes
  std::vector<Node> nodes_;
  std::vector<unsigned char> bytes_;  // that lead to the nodes
};

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_MODELS_BYTE_TRIE_H_
