#include "weft/models/seq2seq/generation_options.h"

#include <algorithm>
#include <cmath>

namespace weft::models {

const LengthClassifier* length_classifier(const GenerationKinds& generation) {
  if (const auto* mask_predict = generation.get_if<MaskPredict>()) return &mask_predict->length;
  const auto* parallel = generation.get_if<Parallel>();
  return parallel == nullptr ? nullptr : parallel->length_from.get_if<LengthClassifier>();
}

int64_t positions_for(const GenerationKinds& generation, int64_t source_tokens) {
  if (const auto* ctc = generation.get_if<Ctc>()) return ctc->upsampling * source_tokens;
  const LengthFromEnd& end = generation.get<Parallel>().length_from.get<LengthFromEnd>();
  const double tokens = end.ratio * static_cast<double>(source_tokens);
  return static_cast<int64_t>(std::floor(tokens)) + end.offset + 1;
}

int64_t decoder_rows(const GenerationKinds& generation, int64_t source_tokens,
                     int64_t target_tokens) {
  if (generation.is<LeftToRight>() || length_classifier(generation) != nullptr) {
    return target_tokens;
  }
  const int64_t positions = positions_for(generation, source_tokens);
  return generation.is<Ctc>() ? positions : std::max(target_tokens, positions);
}

}  // namespace weft::models
