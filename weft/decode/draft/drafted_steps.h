// Steps of requests with one hypothesis, of several tokens each.
#ifndef WEFT_DECODE_DRAFT_DRAFTED_STEPS_H_
#define WEFT_DECODE_DRAFT_DRAFTED_STEPS_H_

#include <optional>
#include <vector>

#include "weft/decode/active_batch.h"
#include "weft/decode/draft/draft_length.h"
#include "weft/decode/draft/drafter.h"
#include "weft/decode/search/token_selector.h"

namespace weft::decode {

// Speculative decoding (Leviathan et al. 2023, arXiv 2211.17192): a pass scores the tokens after
// the last one of a request and after each drafted one. From these rows tokens are selected one
// after the other, as without drafts and with the same random numbers, for as long as the selected
// token is the drafted one. So a result has the same bits with any draft.
//
// The rows of a target continue those of its prompt in the model's cache; rows of drafted tokens
// that were wrong are dropped.
class DraftedSteps {
 public:
  // Both have to outlive it. Throws OptionError where the model cannot drop rows.
  DraftedSteps(StepModel& model, Drafter& drafter);

  // Requests with one hypothesis and without a coverage penalty.
  static bool takes(const Request& request);
  void begin(std::span<const NewRequest> requests);
  void release(std::span<const int32_t> slots);

  // A pass over the requests of ActiveBatch::drafted(), which adds what is new about each. An
  // exception of the model ends those requests.
  void step(ActiveBatch& batch, TokenSelector& selector, std::vector<RequestOutput>& out);

 private:
  // The row of a request whose tokens are selected next, and the end of its rows.
  struct Rows {
    int32_t slot;
    int64_t first, next, end;
  };

  std::vector<std::vector<int32_t>> drafts(const ActiveBatch& batch,
                                           std::span<const int32_t> slots);
  PromptRows pass(const ActiveBatch& batch, std::span<const int32_t> slots);
  void verify(const PromptRows& pass, const Tensor& scores, ActiveBatch& batch,
              TokenSelector& selector, std::vector<RequestOutput>& out);
  void finish(const Rows& rows, ActiveBatch& batch, std::vector<RequestOutput>& out);

  StepModel* model_;
  Drafter* drafter_;
  std::vector<DraftLength> lengths_;  // [slots]
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_DRAFT_DRAFTED_STEPS_H_
