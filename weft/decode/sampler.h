// Tokens drawn at random by their probability.
#ifndef WEFT_DECODE_SAMPLER_H_
#define WEFT_DECODE_SAMPLER_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "weft/core/random.h"
#include "weft/decode/next_tokens.h"

namespace weft::decode {

// Which tokens are drawn from.
struct AllTokens {};
struct BestTokens {  // the k most probable (Fan et al. 2018, arXiv 1805.04833)
  int64_t k = 10;
};
struct Nucleus {  // the fewest that have p of the mass (Holtzman et al. 2020, arXiv 1904.09751)
  double p = 0.9;
};

struct Sampling {
  std::variant<AllTokens, BestTokens, Nucleus> from = {};
  double temperature = 1;  // of the softmax that is drawn from; log p stays the model's own
  uint64_t seed = 1;
};

// How often a row is drawn from, and its own stream of random numbers.
struct Draws {
  uint64_t stream = 0;
  int64_t count = 1;
};

class Sampler : public NextTokens {
 public:
  explicit Sampler(const Sampling& sampling, bool is_normalised = false)
      : NextTokens(is_normalised), sampling_(sampling) {}

  // Draws draws[w].count tokens from row w of logits [W, C] (F32), once adjusted, which happens in
  // place; a token may be drawn twice. None where all are forbidden. Throws as begin() does.
  void find(const Tensor& logits, std::span<const Draws> draws, const Adjust& adjust = {},
            Columns columns = {});

 private:
  Sampling sampling_;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SAMPLER_H_
