#include "weft/decode/options.h"

#include <tuple>

#include "weft/core/error.h"
#include "weft/decode/length_penalty.h"

namespace weft::decode {

void DecodeOptions::validate() const {
  make_length_penalty(*this);
  const DecodeOptions plain;
  const std::tuple<const char*, bool, bool, const char*> draws[] = {
      {"--sampling-topk", sampling_topk == plain.sampling_topk, sampling == "topk", " topk"},
      {"--sampling-topp", sampling_topp == plain.sampling_topp, sampling == "topp", " topp"},
      {"--temperature", temperature == plain.temperature, !sampling.empty(), ""},
      {"--seed", seed == plain.seed, !sampling.empty(), ""}};
  for (const auto& [option, is_default, has_its, kind] : draws) {
    if (!is_default && !has_its) fail<OptionError>(option, "needs --sampling{}", kind);
  }
  if (min_length >= max_output_length) {
    fail<OptionError>("--min-length",
                      "expected less than --max-output-length, {} with the end symbol; got {}",
                      max_output_length, min_length);
  }
  if (alignment.empty() && alignment_heads != plain.alignment_heads) {
    fail<OptionError>("--alignment-heads", "needs --alignment; expected it beside, got {} alone",
                      alignment_heads);
  }
}

}  // namespace weft::decode
