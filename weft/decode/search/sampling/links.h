// The links of a sampling chain: each is its own file and one line here.
#ifndef WEFT_DECODE_SEARCH_SAMPLING_LINKS_H_
#define WEFT_DECODE_SEARCH_SAMPLING_LINKS_H_

#include <tuple>
#include <variant>
#include <vector>

#include "weft/decode/search/sampling/min_p.h"
#include "weft/decode/search/sampling/temperature.h"
#include "weft/decode/search/sampling/top_k.h"
#include "weft/decode/search/sampling/top_n_sigma.h"
#include "weft/decode/search/sampling/top_p.h"
#include "weft/decode/search/sampling/typical.h"
#include "weft/decode/search/sampling/xtc.h"

namespace weft::decode {

// Those that options ask for, in the order in which they are applied, as in llama.cpp; the
// temperature is the last of a chain.
using SamplingFilters = std::tuple<TopNSigma, TopK, Typical, TopP, MinP, Xtc>;

template <class... Filters>
std::variant<Temperature, Filters...> any_link(const std::tuple<Filters...>&);
using SamplingLink = decltype(any_link(SamplingFilters()));
using SamplingChain = std::vector<SamplingLink>;  // applied in this order

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_SAMPLING_LINKS_H_
