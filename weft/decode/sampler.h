// Tokens drawn at random by their probability.
#ifndef WEFT_DECODE_SAMPLER_H_
#define WEFT_DECODE_SAMPLER_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "weft/core/fields.h"
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

// No sampling: the best translation is searched for.
struct NoSampling {
  static constexpr std::string_view kName = "";
};
struct FromAllTokens {
  static constexpr std::string_view kName = "temperature";
  static constexpr std::string_view kHelp = "from all tokens";
};
struct FromTopK {
  static constexpr std::string_view kName = "topk";
  static constexpr std::string_view kHelp = "from the most probable ones";
  int64_t tokens = 10;

  template <class V>
  void fields(V& v) {
    v("sampling-topk", tokens,
      {.help = "tokens that --sampling topk draws from", .min = 1, .max = 1e6});
  }
};
struct FromTopP {
  static constexpr std::string_view kName = "topp";
  static constexpr std::string_view kHelp = "from the nucleus";
  double mass = 0.9;

  template <class V>
  void fields(V& v) {
    v("sampling-topp", mass,
      {.help = "mass of the nucleus of --sampling topp (Holtzman et al. 2020, arXiv 1904.09751)",
       .min = 0,
       .max = 1});
  }
};

struct SamplingOptions {
  OneOf<NoSampling, FromAllTokens, FromTopK, FromTopP> kind = {};
  double temperature = 1;
  int64_t seed = 1;

  bool is_on() const { return !kind.is<NoSampling>(); }

  template <class V>
  void fields(V& v) {
    choice(v, "sampling", kind,
           {.help = "draw translations at random instead of searching for the best: one a "
                    "sentence, or --beam-size of them with --n-best"});
    belongs_to<FromAllTokens, FromTopK, FromTopP>(v, "sampling", &kind.selection(), [&] {
      v("temperature", temperature,
        {.help = "of the softmax that --sampling draws from; below 1 it is sharper",
         .min = 0.01,
         .max = 100});
      v("seed", seed,
        {.help = "of --sampling; with it a line's translation depends on the line alone",
         .min = 0});
    });
  }
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
