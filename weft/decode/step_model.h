// The model's side of an engine: scores of the next tokens, for the requests in its slots.
#ifndef WEFT_DECODE_STEP_MODEL_H_
#define WEFT_DECODE_STEP_MODEL_H_

#include <cstdint>
#include <limits>
#include <span>

#include "weft/decode/search/coverage.h"
#include "weft/models/seq2seq/seq2seq_options.h"
#include "weft/tensor/tensor.h"

namespace weft::decode {

struct Request;

// What an engine has to know of its model.
struct ModelTraits {
  int64_t source_vocabulary = 0;  // tokens; 0: requests have the encoder's states of their sources
  int64_t target_vocabulary = 0;
  // The most tokens of a source and of a target, end symbols included.
  int64_t source_capacity = std::numeric_limits<int32_t>::max();
  int64_t target_capacity = std::numeric_limits<int32_t>::max();
  models::TargetLengths trained_lengths = {};
  int32_t begin_id = 0;  // the first step's input
  int32_t end_id = 0;
  bool has_attention = false;  // fills Step::attention
  bool is_normalised = false;  // scores are log-probabilities, or weighted sums of them
};

// A request that begins, and its slot.
struct Prefill {
  int32_t slot;
  const Request* request;
};

// One step of all active requests: a row for each live hypothesis, slot by slot.
struct Step {
  std::span<const int32_t> ids;        // [W] input token of each row
  std::span<const int32_t> parents;    // [W] hypothesis of its slot's last step that it continues, or -1
  std::span<const int32_t> counts;     // [slots] rows of each slot; 0 where it is free
  SourceWeights* attention = nullptr;  // where not null, receives what the rows attend to
};

// An engine calls reserve() once, and then for each request prefill(), step() until it is done, and
// release(). Active requests are at different steps; the scores of one must not depend on the
// others, to the bit.
class StepModel {
 public:
  virtual ~StepModel() = default;

  virtual const ModelTraits& traits() const = 0;
  // Begins anew, with all slots free.
  virtual void reserve(int64_t slots) = 0;
  // Encodes the sources of requests, which stay where they are until release(). Their next step has
  // one row each, with the begin symbol and no parent. (A decoder-only model runs all of the prompt
  // but its last token through its cache here and takes that in place of the begin symbol.)
  virtual void prefill(std::span<const Prefill> requests) = 0;
  // Scores of the next token, F32 [W, C]: a column for each token of the target vocabulary; in rows
  // of a request with allowed tokens a column for each of those. What columns are left in a row is
  // -inf where the request has allowed tokens and is not read where it has none. The caller may
  // overwrite them.
  virtual Tensor step(const Step& step) = 0;
  // These slots are free: their requests are done, were cancelled or have failed.
  virtual void release(std::span<const int32_t> slots) = 0;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_STEP_MODEL_H_
