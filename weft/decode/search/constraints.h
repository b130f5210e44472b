// Phrases that a hypothesis has to hold.
#ifndef WEFT_DECODE_SEARCH_CONSTRAINTS_H_
#define WEFT_DECODE_SEARCH_CONSTRAINTS_H_

#include <cstdint>
#include <span>
#include <vector>

namespace weft::decode {

using Phrase = std::vector<int32_t>;

// The phrases of one request. They may overlap and occur in any order.
class Constraints {
 public:
  // For each phrase the length of its longest prefix that the hypothesis ends with; once the phrase
  // is held, its length.
  using Progress = std::vector<int32_t>;

  Constraints() = default;
  // None of them is empty. A phrase that is part of another is left out.
  explicit Constraints(const std::vector<Phrase>& phrases);

  bool empty() const { return phrases_.empty(); }
  std::span<const Phrase> phrases() const { return phrases_; }
  int64_t tokens() const { return tokens_; }  // of all phrases

  Progress start() const { return Progress(phrases_.size(), 0); }
  Progress after(const Progress& before, int32_t token) const;
  // The number of tokens that is enough to hold every phrase, if the next is one of wanted(); 0:
  // all are held.
  int64_t missing(const Progress& progress) const;
  // The next token of each phrase that is not held yet.
  std::vector<int32_t> wanted(const Progress& progress) const;

 private:
  std::vector<Phrase> phrases_;
  // fallback_[i][n]: the longest prefix of phrase i, shorter than n, that its first n tokens end
  // with (Knuth, Morris and Pratt 1977).
  std::vector<std::vector<int32_t>> fallback_;
  int64_t tokens_ = 0;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_CONSTRAINTS_H_
