// What decoding finds, for tests that need no engine of their own.
#ifndef WEFT_TESTS_DECODE_DECODED_H_
#define WEFT_TESTS_DECODE_DECODED_H_

#include <memory>
#include <utility>
#include <vector>

#include "weft/decode/options.h"
#include "weft/decode/search/search.h"
#include "weft/decode/step_models.h"

namespace weft::decode {

inline std::vector<NBest> decode(const Models& models, std::vector<Request> requests,
                                 const DecodeOptions& options) {
  const std::unique_ptr<StepModel> model = step_model(models, options.weights);
  for (Request& request : requests) apply_options(options, model->traits(), request);
  return search(*model, std::move(requests), {.slots = options.mini_batch});
}

// Of sources with their end symbols.
inline std::vector<NBest> decode(const Models& models, const data::Tokens& sources,
                                 const DecodeOptions& options,
                                 const std::vector<int32_t>& forbidden = {}) {
  std::vector<Request> requests;
  for (int64_t s = 0; s < sources.examples(); ++s) {
    const std::span<const int32_t> source = sources[s];
    requests.push_back({.source = {source.begin(), source.end()}, .forbidden = forbidden});
  }
  return decode(models, std::move(requests), options);
}

}  // namespace weft::decode

#endif  // WEFT_TESTS_DECODE_DECODED_H_
