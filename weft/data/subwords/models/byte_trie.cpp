#include "weft/data/subwords/models/byte_trie.h"

namespace weft::data {

ByteTrie::ByteTrie(std::vector<std::pair<std::string_view, int32_t>> strings) {
  std::ranges::stable_sort(strings, {}, &std::pair<std::string_view, int32_t>::first);
  // The strings from `begin` to `end` begin alike, with `depth` bytes, and lead to a node.
  struct Range {
    uint32_t node;
    size_t begin, end, depth;
  };
  first_.fill(kNone);
  std::vector<Range> ranges;  // in the order of nodes
  // Gives the strings of a range nodes by their next byte; returns the first of these nodes.
  const auto add_children = [&](size_t begin, size_t end, size_t depth) {
    const auto first = static_cast<uint32_t>(nodes_.size());
    while (begin < end) {
      const char byte = strings[begin].first[depth];
      size_t next = begin + 1;
      while (next < end && strings[next].first[depth] == byte) ++next;
      ranges.push_back({static_cast<uint32_t>(nodes_.size()), begin, next, depth + 1});
      nodes_.emplace_back();
      bytes_.push_back(static_cast<unsigned char>(byte));
      begin = next;
    }
    return first;
  };
  size_t begin = 0;
  while (begin < strings.size() && strings[begin].first.empty()) ++begin;
  const uint32_t roots = add_children(begin, strings.size(), 0);
  for (uint32_t node = roots; node < nodes_.size(); ++node) first_[bytes_[node]] = node;
  for (size_t i = 0; i < ranges.size(); ++i) {
    auto [node, from, end, depth] = ranges[i];
    if (strings[from].first.size() == depth) nodes_[node].value = strings[from].second;
    while (from < end && strings[from].first.size() == depth) ++from;
    const uint32_t children = add_children(from, end, depth);
    nodes_[node].children = children;
    nodes_[node].count = static_cast<uint32_t>(nodes_.size()) - children;
  }
}

}  // namespace weft::data
