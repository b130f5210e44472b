// Tokens drawn at random by their probability.
#ifndef WEFT_DECODE_SEARCH_SAMPLER_H_
#define WEFT_DECODE_SEARCH_SAMPLER_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/core/random.h"
#include "weft/decode/search/top_k.h"
#include "weft/options/fields.h"

namespace weft::decode {

// The tokens that are drawn from.
struct AllTokens {};
struct BestTokens {  // top-k: the k most probable (Fan et al. 2018, arXiv 1805.04833)
  int64_t k = 10;
};
struct Nucleus {  // top-p: the fewest with p of the mass (Holtzman et al. 2020, arXiv 1904.09751)
  double p = 0.9;
};

struct Sampling {
  std::variant<AllTokens, BestTokens, Nucleus> from = {};
  double temperature = 1;  // of the softmax that is drawn from; log p is the model's own
  uint64_t seed = 1;
  uint64_t stream = 0;  // of the request; the same stream draws the same hypotheses
};

// No sampling: search for the best translation.
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
  options::OneOf<NoSampling, FromAllTokens, FromTopK, FromTopP> kind = {};
  double temperature = 1;
  int64_t seed = 1;

  bool is_on() const { return !kind.is<NoSampling>(); }

  template <class V>
  void fields(V& v) {
    options::choice(
        v, "sampling", kind,
        {.help = "draw translations at random instead of searching for the best: one for each "
                 "sentence, or with --n-best --beam-size of them"});
    options::belongs_to<FromAllTokens, FromTopK, FromTopP>(v, "sampling", &kind.selection(), [&] {
      v("temperature", temperature,
        {.help = "of the softmax that --sampling draws from; below 1 it is sharper",
         .min = 0.01,
         .max = 100});
      v("seed", seed,
        {.help = "of --sampling; a line's translation depends on it and the line alone", .min = 0});
    });
  }
};

// Draws from rows; keeps its memory from row to row.
class RowSampler {
 public:
  // Fills `out` with draws from a row of logits and returns how many there are: none where all are
  // -inf. A column may be drawn again. A function of the logits, the seed and both streams alone.
  int64_t draw(std::span<const float> logits, const Sampling& sampling, uint64_t stream,
               std::span<ScoredColumn> out);

 private:
  struct Weighted {
    float logit;
    int32_t column;
    double weight;  // e^((logit - top) / temperature)
  };
  void keep(const AllTokens&) {}
  void keep(const BestTokens& best);
  void keep(const Nucleus& nucleus);
  static bool is_before(const Weighted& a, const Weighted& b);
  double sum() const;

  std::vector<Weighted> tokens_;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_SAMPLER_H_
