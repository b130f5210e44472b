// How many tokens are drafted at a time.
#ifndef WEFT_DECODE_DRAFT_DRAFT_LENGTH_H_
#define WEFT_DECODE_DRAFT_DRAFT_LENGTH_H_

#include <cstdint>

namespace weft::decode {

// Of one request. A draft has the length with the most expected tokens for their cost, by the share
// of its drafted tokens that were right lately. Where that is 0, drafting is off but for one token
// every now and then, until such a token is right often enough. Time is not measured, so that the
// same requests have the same drafts.
class DraftLength {
 public:
  static constexpr int64_t kMost = 15;
  // What a row more costs in a pass, where a pass over one row costs 1: products of few rows are
  // bound by reading the weights.
  static constexpr double kRowCost = 0.15;

  // The tokens to draft next, in a pass that has `others` rows of other requests. A drafted token
  // costs `token_cost`, see Drafter.
  int64_t next(int64_t others, double token_cost);
  // Of the last draft this many tokens were right and, with `is_refused`, the one after them not;
  // tokens behind that say nothing.
  void record(int64_t accepted, bool is_refused);

 private:
  int64_t best_length(int64_t others, double token_cost) const;

  double acceptance_ = 0.5;  // mean of the last tokens, weighted towards the latest
  int64_t steps_off_ = 0;    // since drafting went off or the last attempt
  int64_t pause_ = 16;       // steps from one attempt to the next
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_DRAFT_DRAFT_LENGTH_H_
