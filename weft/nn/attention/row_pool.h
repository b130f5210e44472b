// Numbers of the rows of a cache, each with a count of its holders.
#ifndef WEFT_NN_ATTENTION_ROW_POOL_H_
#define WEFT_NN_ATTENTION_ROW_POOL_H_

#include <cstdint>
#include <span>
#include <vector>

namespace weft::nn {

// Rows are in pages of 64; the pool grows by a page at a time, without limit.
class RowPool {
 public:
  static constexpr int kPageBits = 6;
  static constexpr int64_t kPageRows = int64_t{1} << kPageBits;

  // Appends `count` free rows to `out`, which then has one holder: free pages while they are
  // filled, so that the rows of a prompt lie together, then the lowest free rows.
  void take(int64_t count, std::vector<int32_t>& out);
  // Adds a holder to each of these rows, or removes one; a row without holders is free.
  void hold(std::span<const int32_t> rows);
  void release(std::span<const int32_t> rows);

  int64_t capacity() const { return std::ssize(holders_); }
  int64_t held() const { return held_; }  // rows that are not free

 private:
  void take_page(size_t page, std::vector<int32_t>& out);
  void take_one(std::vector<int32_t>& out);
  size_t free_page() const;  // the first that is free, or the number of pages
  void add_page();

  std::vector<uint64_t> free_;    // of each page, a bit for each row
  std::vector<int32_t> holders_;  // of each row
  size_t first_ = 0;              // pages before it have no free row
  int64_t held_ = 0;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_ROW_POOL_H_
