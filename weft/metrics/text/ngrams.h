// N-gram counts.
#ifndef WEFT_METRICS_TEXT_NGRAMS_H_
#define WEFT_METRICS_TEXT_NGRAMS_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace weft::metrics {

// The counts of the distinct n-grams of one order in one line, in lexicographic order.
template <class T>
class NgramCounts {
 public:
  // Stores pointers into `items`, which must outlive this object.
  NgramCounts(std::span<const T> items, size_t n) {
    if (items.size() < n) return;
    total_ = static_cast<int64_t>(items.size() - n + 1);
    std::vector<std::span<const T>> all;
    all.reserve(total_);
    for (size_t i = 0; i + n <= items.size(); ++i) all.push_back(items.subspan(i, n));
    std::sort(all.begin(), all.end(), less);
    for (const auto& gram : all) {
      if (counts_.empty() || less(counts_.back().first, gram)) counts_.emplace_back(gram, 0);
      ++counts_.back().second;
    }
  }

  int64_t total() const { return total_; }

  // The number of matching n-grams: the sum of the smaller of the two counts of each n-gram.
  int64_t matches(const NgramCounts& other) const {
    int64_t out = 0;
    auto b = other.counts_.begin();
    for (auto a = counts_.begin(); a != counts_.end() && b != other.counts_.end();) {
      if (less(a->first, b->first)) {
        ++a;
      } else if (less(b->first, a->first)) {
        ++b;
      } else {
        out += std::min(a++->second, b++->second);
      }
    }
    return out;
  }

  // Sets each count to the larger of the two.
  void merge_largest(const NgramCounts& other) {
    std::vector<std::pair<std::span<const T>, int64_t>> merged;
    auto a = counts_.begin();
    auto b = other.counts_.begin();
    while (a != counts_.end() || b != other.counts_.end()) {
      if (b == other.counts_.end() || (a != counts_.end() && less(a->first, b->first))) {
        merged.push_back(*a++);
      } else if (a == counts_.end() || less(b->first, a->first)) {
        merged.push_back(*b++);
      } else {
        merged.emplace_back(a->first, std::max(a->second, b->second));
        ++a;
        ++b;
      }
    }
    counts_ = std::move(merged);
  }

 private:
  static bool less(std::span<const T> a, std::span<const T> b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }

  std::vector<std::pair<std::span<const T>, int64_t>> counts_;
  int64_t total_ = 0;
};

}  // namespace weft::metrics

#endif  // WEFT_METRICS_TEXT_NGRAMS_H_
