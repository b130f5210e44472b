// Phrases that a translation has to hold.
#ifndef WEFT_DECODE_CONSTRAINTS_H_
#define WEFT_DECODE_CONSTRAINTS_H_

#include <cstdint>
#include <vector>

namespace weft::decode {

using Phrase = std::vector<int32_t>;

// The phrases of one sentence. They may overlap, and stand in any order.
class Constraints {
 public:
  // For each phrase, the length of its longest beginning that the hypothesis ends with; once held,
  // the phrase's length.
  using Progress = std::vector<int32_t>;

  Constraints() = default;
  // None of them is empty. One that stands in another is left out: what holds that holds both.
  explicit Constraints(const std::vector<Phrase>& phrases);

  bool empty() const { return phrases_.empty(); }
  int64_t tokens() const { return tokens_; }  // of all phrases

  Progress start() const { return Progress(phrases_.size(), 0); }
  Progress after(const Progress& before, int32_t token) const;
  // So many tokens are enough to hold every phrase, the next of them one of wanted(); 0: held.
  int64_t missing(const Progress& progress) const;
  // The next token of each phrase that is not held yet.
  std::vector<int32_t> wanted(const Progress& progress) const;

 private:
  std::vector<Phrase> phrases_;
  // fallback_[i][n]: the longest beginning of phrase i that its first n tokens end with, and are
  // longer than (Knuth, Morris and Pratt 1977).
  std::vector<std::vector<int32_t>> fallback_;
  int64_t tokens_ = 0;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_CONSTRAINTS_H_
