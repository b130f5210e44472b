// The tokens that may be drawn, which the links of a sampling chain narrow down.
#ifndef WEFT_DECODE_SEARCH_SAMPLING_CANDIDATES_H_
#define WEFT_DECODE_SEARCH_SAMPLING_CANDIDATES_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "weft/decode/search/top_k.h"

namespace weft::decode {

// A link of a chain is link(candidates), or link(candidates, random) for one that draws. It is also
// a group of options: kName, of the field in errors; fields(); is_on(), whether the options ask for
// it; and check(), which throws OptionError for values out of range.
class Candidates {
 public:
  struct Token {
    float logit;
    int32_t column;
    double weight;  // e^((logit - top) / temperature), with the largest logit of all
  };

  // All tokens whose logits are finite, at temperature 1. False where there are none. The logits
  // have to stay until the next reset.
  bool reset(std::span<const float> logits);
  void set_temperature(double temperature);

  // In the order of columns, or after sort_best() of falling logits, of equals the lower column
  // first.
  std::span<const Token> tokens();
  // Computes the weights, if need be, and returns their sum.
  double weigh();
  // Of the logits of all tokens that are left; the standard deviation is that of a population.
  double largest_logit() const;
  double logit_deviation() const;

  // Brings the `count` best tokens to the front, in order, and drops the others. Of all tokens a
  // few are found without sorting.
  void keep_best(int64_t count);
  void sort_best() { keep_best(std::ssize(tokens())); }
  // Drops tokens whose logits are below `least`.
  void keep_above(double least);
  // Sorts by rising key(token); equals stay in order.
  template <class Key>
  void sort_by(const Key& key);
  // Drops all but the first `count`.
  void keep_first(int64_t count) { tokens_.resize(static_cast<size_t>(count)); }
  // Drops the first `count` of tokens in the order of sort_best(), but not all.
  void drop_first(int64_t count);

 private:
  // Calls visit(logit, column) for each token that is left.
  template <class Visit>
  void for_each(const Visit& visit) const;

  std::span<const float> logits_;
  bool is_whole_ = true;  // tokens_ is not filled: all finite logits are left
  std::vector<Token> tokens_;
  std::vector<ScoredColumn> best_;
  float top_ = 0;
  double temperature_ = 1;
  bool is_weighed_ = false;
};

template <class Key>
void Candidates::sort_by(const Key& key) {
  tokens();
  std::ranges::stable_sort(tokens_, {}, key);
}

// Throws OptionError unless least <= value <= most.
void check_link(std::string_view name, double value, double least, double most);

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_SAMPLING_CANDIDATES_H_
