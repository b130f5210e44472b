// Searches for many requests at once, until all are done.
#ifndef WEFT_DECODE_SEARCH_SEARCH_H_
#define WEFT_DECODE_SEARCH_SEARCH_H_

#include <vector>

#include "weft/decode/engine.h"

namespace weft::decode {

// The hypotheses of each request, in the order of the requests, by an engine with as many slots as
// there are requests at most; those with the longest sources begin first. `on_stable_prefix` is
// called at each step for each active request and needs n_best 1. Of equal scores the earlier
// hypothesis comes first, then the lower token id. A request whose scores are not finite has one
// hypothesis, which says so. Throws OptionError as Engine::submit() does, and any other error of
// the first request that fails.
std::vector<NBest> search(StepModel& model, std::vector<Request> requests,
                          EngineOptions options = {}, const OnStablePrefix& on_stable_prefix = {});

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_SEARCH_H_
