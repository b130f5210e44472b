// The requests that an engine is working on, each in a slot, and the rows of their next step.
#ifndef WEFT_DECODE_ACTIVE_BATCH_H_
#define WEFT_DECODE_ACTIVE_BATCH_H_

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "weft/decode/prompts.h"
#include "weft/decode/request.h"
#include "weft/decode/search/token_selector.h"

namespace weft::decode {

class ActiveBatch {
 public:
  explicit ActiveBatch(const ModelTraits& model) : model_(&model), prompts_(model.begin_id) {}

  // Requests, without those that are parked.
  int64_t size() const { return size_; }
  int64_t parked() const { return parked_; }
  // The rows of keys and values that all requests may need, see cache_rows().
  int64_t cache_rows() const;

  // Gives the request a free slot, where it stays until it is removed, and returns it.
  // With `is_drafted` the request takes part in no steps; DraftedSteps extends its hypothesis.
  int32_t add(RequestId id, Request request, bool is_drafted);
  bool is_taken(int32_t slot) const { return slots_[slot] != nullptr; }
  const Request& request(int32_t slot) const { return slots_[slot]->request; }
  const Beam& beam(int32_t slot) const { return *slots_[slot]->beam; }
  // What the one hypothesis of the request ends in.
  int32_t last_token(int32_t slot) const { return last_token(slot, 0); }
  // The slot of a request, if it has one.
  std::optional<int32_t> find(RequestId id) const;
  void remove(int32_t slot);
  // A parked request keeps its slot and takes no part in passes.
  void park(int32_t slot, bool is_parked);
  bool is_parked(int32_t slot) const { return slots_[slot]->is_parked; }
  // Ends a request whose rows are kept; it is parked for good.
  void keep(int32_t slot) { keep(slot, slots_[slot]->beam->tokens(0)); }
  bool is_kept(int32_t slot) const { return !slots_[slot]->beam; }

  // The next rows of prompts, see Prompts::next().
  PromptRows next_prompts(int64_t limit, StepModel& model);
  // Extends beams by the tokens of their prefixes, with what the model says of each.
  void advance_prompts(const PromptRows& prompts, const NextTokens& scores,
                       std::vector<RequestOutput>& out);

  // The slots of drafted requests whose prompts are prefilled, without those that are parked.
  std::vector<int32_t> drafted() const;
  // Extends a beam by the tokens of its rows, from `first_row` on. Returns false where their scores
  // are not finite: the request has failed then.
  bool extend(int32_t slot, const NextTokens& tokens, int64_t first_row,
              std::vector<RequestOutput>& out);
  void count_drafts(int32_t slot, const DraftCounts& more);
  // Adds what is new about a request, and removes it if it is done.
  void report(int32_t slot, std::vector<RequestOutput>& out);

  // Lists the rows of the next step; valid until the next call.
  Step next_step();
  std::span<const ActiveRow> rows() const { return rows_; }
  // Extends every beam by its rows' tokens, and adds what is new about the requests. Requests that
  // are done, or whose scores are not finite, are removed.
  void advance(const NextTokens& tokens, std::vector<RequestOutput>& out);
  // Ends a request with an error and removes it.
  void fail(int32_t slot, const std::exception_ptr& error, std::vector<RequestOutput>& out);
  // The same for all that took part in the last step.
  void fail_step(const std::exception_ptr& error, std::vector<RequestOutput>& out);

  // Slots whose requests were removed since the last call; valid until the next removal.
  std::span<const int32_t> take_removed();
  // Slots with a hypothesis to keep since the last call, see StepModel::keep_hypothesis().
  std::vector<int32_t> take_kept() { return std::exchange(kept_, {}); }

 private:
  struct Slot {
    RequestId id;
    Request request;
    std::optional<Beam> beam = {};  // unless it is kept
    DraftCounts drafts = {};
    bool is_drafted = false;
    bool is_parked = false;
    bool has_stepped = false;
    int32_t first_row = 0;  // in the present step
  };

  bool is_ready(int32_t slot) const {
    return slots_[slot] && !slots_[slot]->is_parked && prompts_.is_prefilled(slot);
  }
  void keep(int32_t slot, std::span<const int32_t> target);
  // The token that live hypothesis i ends in.
  int32_t last_token(int32_t slot, int64_t i) const {
    return slots_[slot]->has_stepped ? beam(slot).token(i) : prompts_.last_token(slot);
  }
  SourceWeights* attention_of(const Slot& slot) {
    return slot.request.beam.coverage_penalty == 0 ? nullptr : &attention_;
  }

  const ModelTraits* model_;
  Prompts prompts_;
  // By number, where they stay: beams and prompts refer to their requests.
  std::vector<std::unique_ptr<Slot>> slots_;
  int64_t size_ = 0, parked_ = 0;
  std::vector<int32_t> ids_, parents_, counts_;
  std::vector<ActiveRow> rows_;
  SourceWeights attention_;
  std::vector<int32_t> removed_, taken_, kept_;
};

// The most rows of keys and values that a request may need: one for each row of its source and each
// token of its prompt, and length_limit for each hypothesis.
int64_t cache_rows(const Request& request);

}  // namespace weft::decode

#endif  // WEFT_DECODE_ACTIVE_BATCH_H_
