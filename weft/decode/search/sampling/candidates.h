// The tokens that may be drawn, which the links of a sampling chain narrow down.
#ifndef WEFT_DECODE_SEARCH_SAMPLING_CANDIDATES_H_
#define WEFT_DECODE_SEARCH_SAMPLING_CANDIDATES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace weft::decode {

// A link of a chain is link(candidates). It is also a group of options: kName, of the field in
// errors; fields(); is_on(), whether the options ask for it; and check(), which throws OptionError
// for values out of range.
class Candidates {
 public:
  struct Token {
    float logit;
    int32_t column;
    double weight;  // e^((logit - top) / temperature), with the largest logit of all
  };

  // All tokens whose logits are finite, at temperature 1. False where there are none.
  bool reset(std::span<const float> logits);
  void set_temperature(double temperature);

  // In the order of columns, or after sort_best() of falling logits, of equals the lower column
  // first.
  std::span<const Token> tokens() const { return tokens_; }
  // Computes the weights, if need be, and returns their sum.
  double weigh();
  // Brings the `count` best tokens to the front, in order, and drops the others.
  void keep_best(int64_t count);
  // Sorts all of them.
  void sort_best() { keep_best(std::ssize(tokens_)); }
  // Drops all but the first `count`.
  void keep_first(int64_t count) { tokens_.resize(static_cast<size_t>(count)); }

 private:
  std::vector<Token> tokens_;
  float top_ = 0;
  double temperature_ = 1;
  bool is_weighed_ = false;
};

// Throws OptionError unless least <= value <= most.
void check_link(std::string_view name, double value, double least, double most);

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_SAMPLING_CANDIDATES_H_
