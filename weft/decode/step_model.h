// The model's side of an engine: scores of the next tokens, for the requests in its slots.
#ifndef WEFT_DECODE_STEP_MODEL_H_
#define WEFT_DECODE_STEP_MODEL_H_

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "weft/core/segments.h"
#include "weft/models/seq2seq/target_lengths.h"
#include "weft/tensor/tensor.h"

namespace weft::decode {

struct Request;
struct SourceWeights;

// What an engine has to know of its model.
struct ModelTraits {
  bool reads_source = true;       // false: a request has a prompt alone
  int64_t source_vocabulary = 0;  // tokens; 0: requests have the encoder's states of their sources
  int64_t target_vocabulary = 0;
  // The most tokens of a source and of a target, end symbols included.
  int64_t source_capacity = std::numeric_limits<int32_t>::max();
  int64_t target_capacity = std::numeric_limits<int32_t>::max();
  models::TargetLengths trained_lengths = {};
  int32_t begin_id = 0;  // the prompt of a request without one
  int32_t end_id = 0;
  bool has_attention = false;  // fills Step::attention
  bool is_normalised = false;  // scores are log-probabilities, or weighted sums of them
  bool can_drop_rows = false;  // drop_rows() is there
};

// A request that begins, and its slot.
struct NewRequest {
  int32_t slot;
  const Request* request;
};

// A pass over prompts, or parts of them: segment i continues the prompt of the request in slots[i].
struct PromptRows {
  std::vector<int32_t> ids;    // [N] input tokens
  std::vector<int32_t> slots;  // [B]
  Segments segments;           // B
  // The rows whose next tokens are scored, in rising order, and how many they are in each segment.
  std::vector<int32_t> scored;         // [n]
  std::vector<int32_t> scored_counts;  // [B]
  SourceWeights* attention = nullptr;  // where not null, receives what all N rows attend to
};

// One step of active requests: a row for each live hypothesis, slot by slot.
struct Step {
  std::span<const int32_t> ids;        // [W] input token of each row
  std::span<const int32_t> parents;    // [W] hypothesis of its slot's last step that it continues,
                                       // or -1: the prompt
  std::span<const int32_t> counts;     // [slots] rows of each slot; 0 where it is free or parked
  SourceWeights* attention = nullptr;  // where not null, receives what the rows attend to
};

// Rows of scores that belong to one slot, one after the other.
struct SlotRows {
  int32_t slot;
  int64_t rows;  // above 0
};
std::vector<SlotRows> rows_by_slot(const Step& step);
std::vector<SlotRows> rows_by_slot(const PromptRows& prompts);  // of those that are scored

// An engine calls reset() once, and then for each request begin(), prefill() of all of its prompt
// but the last token, in as many passes as it likes, step() until it is done, and release().
// Requests are at different steps; the scores of one must not depend on the others, nor on how its
// prompt was divided, to the bit.
class StepModel {
 public:
  virtual ~StepModel() = default;

  virtual const ModelTraits& traits() const = 0;
  // Drops all requests. Slots are numbered from 0 and added when they are first used.
  virtual void reset() = 0;
  // Encodes the sources of requests, which stay where they are until release().
  virtual void begin(std::span<const NewRequest> requests) = 0;
  // Scores of the next token, F32: step() returns [W, C], prefill() [n, C] for the rows of prompts
  // that are scored, or an empty tensor if there are none. A row has a column for each token of the
  // target vocabulary, or for each allowed token if its request has allowed tokens. Any further
  // columns are -inf in rows of requests with allowed tokens, and are not read in other rows. The
  // caller may overwrite the scores.
  virtual Tensor prefill(const PromptRows& prompts) = 0;
  virtual Tensor step(const Step& step) = 0;
  // Lets the request in slot `to`, whose prompt is not prefilled yet, share the first `count`
  // tokens of the prompt in slot `from`. Both prompts begin with them, and both requests have the
  // same source. Returns how many tokens are then prefilled; a model that cannot share returns 0.
  virtual int64_t share_prompt(int32_t /*from*/, int32_t /*to*/, int64_t /*count*/) { return 0; }
  // Makes the one hypothesis that a slot has after its last step the prompt of the slot, which
  // other requests may then share.
  virtual void keep_hypothesis(int32_t /*slot*/) {}
  // Drops the last `count` rows of the prompt in a slot, as if they had not been prefilled. Of
  // models with traits().can_drop_rows.
  virtual void drop_rows(int32_t /*slot*/, int64_t /*count*/) {}
  // These slots are free: their requests are done, were cancelled or have failed, in begin() too.
  virtual void release(std::span<const int32_t> slots) = 0;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_STEP_MODEL_H_
