// Drafts of what a request's target goes on with, which a model verifies.
#ifndef WEFT_DECODE_DRAFT_DRAFTER_H_
#define WEFT_DECODE_DRAFT_DRAFTER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/decode/request.h"

namespace weft::decode {

// A request in a slot, whose target so far is the one hypothesis of its beam.
struct DraftTask {
  int32_t slot;
  const Request* request;
  const Beam* beam;
  int64_t limit;  // the most tokens to draft
};

// Wrong drafts cost time and change no result. A drafter belongs to one engine at a time.
class Drafter {
 public:
  virtual ~Drafter() = default;

  // What a drafted token costs, where a pass of the verifying model over one row costs 1.
  virtual double token_cost() const = 0;
  // Requests that begin, which stay where they are until release().
  virtual void begin(std::span<const NewRequest> requests) = 0;
  // What follows in each request, `limit` tokens of the vocabulary at most.
  virtual std::vector<std::vector<int32_t>> draft(std::span<const DraftTask> tasks) = 0;
  virtual void release(std::span<const int32_t> slots) = 0;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_DRAFT_DRAFTER_H_
