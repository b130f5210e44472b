// Tokens drawn at random by their probability.
#ifndef WEFT_DECODE_SEARCH_SAMPLER_H_
#define WEFT_DECODE_SEARCH_SAMPLER_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "weft/core/random.h"
#include "weft/decode/search/sampling/links.h"
#include "weft/decode/search/top_k.h"
#include "weft/options/fields.h"

namespace weft::decode {

struct Sampling {
  SamplingChain chain = {};  // none: from all tokens
  uint64_t seed = 1;
  uint64_t stream = 0;  // of the request; the same stream draws the same hypotheses
};

// No sampling: search for the best translation.
struct NoSampling {
  static constexpr std::string_view kName = "";
};
struct FromAllTokens {
  static constexpr std::string_view kName = "temperature";
  static constexpr std::string_view kHelp =
      "from the tokens that --top-n-sigma, --top-k, --typical-p, --top-p, --min-p and "
      "--xtc-probability leave, in that order, and then by --temperature";
  SamplingFilters filters = {};

  template <class V>
  void fields(V& v) {
    std::apply([&](auto&... filter) { (filter.fields(v), ...); }, filters);
  }
};
struct FromTopK {
  static constexpr std::string_view kName = "topk";
  static constexpr std::string_view kHelp =
      "by --temperature, and then from the most probable ones";
  int64_t tokens = 10;

  template <class V>
  void fields(V& v) {
    v("sampling-topk", tokens,
      {.help = "tokens that --sampling topk draws from", .min = 1, .max = 1e6});
  }
};
struct FromTopP {
  static constexpr std::string_view kName = "topp";
  static constexpr std::string_view kHelp = "by --temperature, and then from the nucleus";
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
  Temperature temperature = {};
  int64_t seed = 1;

  bool is_on() const { return !kind.is<NoSampling>(); }
  SamplingChain chain() const;
  // Throws OptionError for options that nothing reads.
  void validate() const;

  template <class V>
  void fields(V& v) {
    options::choice(
        v, "sampling", kind,
        {.help = "draw translations at random instead of searching for the best: one for each "
                 "sentence, or with --n-best --beam-size of them"});
    options::belongs_to<FromAllTokens, FromTopK, FromTopP>(v, "sampling", &kind.selection(), [&] {
      temperature.fields(v);
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
  void apply(const SamplingChain& chain, std::span<const float> logits, RandomStream& random);

  Candidates candidates_;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_SAMPLER_H_
