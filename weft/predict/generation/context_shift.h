// Continuations that are longer than the context of a model.
#ifndef WEFT_PREDICT_GENERATION_CONTEXT_SHIFT_H_
#define WEFT_PREDICT_GENERATION_CONTEXT_SHIFT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/decode/search/search.h"

namespace weft::predict {

struct ContextShift {
  int64_t context = 0;  // the most tokens that the model reads
  int64_t keep = 0;     // first tokens of a prompt that are never dropped, fewer than the context
};

// The tokens to go on from once `tokens` fill the context: the first `keep`, and the second half of
// the rest.
std::vector<int32_t> shifted(std::span<const int32_t> tokens, const ContextShift& shift);

// decode::search() for requests without constraints, which draw or have one hypothesis, and whose
// length_limit may go beyond the context. Each time prompt and target fill it, the model reads
// shifted() as a new prompt, from position 0 on: what follows has the bits of a request with that
// prompt, and takes no more memory than a context. Prompts are shorter than the context.
std::vector<decode::NBest> search_shifting(decode::StepModel& model,
                                           std::vector<decode::Request> requests,
                                           const ContextShift& shift,
                                           const decode::EngineOptions& options,
                                           const decode::OnStablePrefix& on_stable_prefix = {});

}  // namespace weft::predict

#endif  // WEFT_PREDICT_GENERATION_CONTEXT_SHIFT_H_
