// Finds equal token sequences.
#ifndef WEFT_DATA_SEQUENCES_SEQUENCE_NUMBERS_H_
#define WEFT_DATA_SEQUENCES_SEQUENCE_NUMBERS_H_

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

namespace weft::data {

// Gives each distinct sequence of token ids a number, from 0 on.
class SequenceNumbers {
 public:
  // The number of a sequence: the same for equal ones.
  int64_t number_of(std::span<const int32_t> ids) {
    const std::string bytes(reinterpret_cast<const char*>(ids.data()), ids.size_bytes());
    const auto [found, is_new] = numbers_.try_emplace(bytes, count_);
    if (is_new) ++count_;
    return found->second;
  }
  // A number that no sequence has.
  int64_t unused() { return count_++; }
  int64_t count() const { return count_; }

 private:
  std::unordered_map<std::string, int64_t> numbers_;
  int64_t count_ = 0;
};

}  // namespace weft::data

#endif  // WEFT_DATA_SEQUENCES_SEQUENCE_NUMBERS_H_
