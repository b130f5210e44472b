// What else a decoder might have said, and how it would then have gone on.
#ifndef WEFT_INSPECT_ALTERNATIVES_H_
#define WEFT_INSPECT_ALTERNATIVES_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "weft/decode/request.h"
#include "weft/inspect/inspection.h"

namespace weft::inspect {

using Ids = std::vector<int32_t>;

// The outputs of requests, in their order. Says in the log how far they are. Throws the error of a
// request that fails.
std::vector<decode::RequestOutput> run_requests(decode::StepModel& model,
                                                std::vector<decode::Request> requests);

struct AlternativeSearch {
  decode::StepModel* model;
  int64_t count;  // of alternatives to a token
  Ids left_out;   // tokens that are none
  // A greedy search for a text that begins with these tokens, without a limit of its own.
  std::function<decode::Request(Ids prefix)> request;
  std::function<std::string(int32_t token)> spelled;
  std::function<std::string(std::span<const int32_t> tokens)> text;
  size_t continued_tokens = 100;     // alternatives to the first tokens have continuations
  int64_t continuation_limit = 100;  // tokens of one
};

// Adds to each token of `best` the most probable other ones. `ids` are its tokens, log_p [T, V]
// the log-probabilities of each.
void add_alternatives(const AlternativeSearch& search, std::span<const int32_t> ids,
                      const Tensor& log_p, Prediction& best);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_ALTERNATIVES_H_
