// Serves generation requests to an autoregressive model: requests may be added and may finish at
// any step, and all active ones share each step (continuous batching; Orca, Yu et al. 2022). Search
// and streaming are built on it.
#ifndef WEFT_DECODE_ENGINE_H_
#define WEFT_DECODE_ENGINE_H_

#include <deque>
#include <optional>
#include <vector>

#include "weft/decode/active_batch.h"
#include "weft/decode/draft/drafted_steps.h"
#include "weft/decode/request.h"
#include "weft/decode/search/token_selector.h"
#include "weft/decode/step_model.h"

namespace weft::decode {

struct EngineOptions {
  int64_t slots = 32;  // requests active at a time
  // The most rows of the KV cache that active requests may need together, cache_rows() each; a
  // request that does not fit waits, and so do those behind it. 0: no limit.
  int64_t cache_rows = 0;
  // Waiting requests are prefilled together once this share of the slots is free: sources encoded
  // together cost less. 0: at once.
  double prefill_share = 0.25;
  // The most rows of prompts that are prefilled before a step, so that long ones do not hold up the
  // other requests.
  int64_t prefill_rows = 256;
  // Drafts the tokens of requests with one hypothesis and without a coverage penalty, which has no
  // part in their results; it has to outlive the engine. Null: no drafts.
  Drafter* drafter = nullptr;
};

// A request's result depends on the request, the model, the build and the kind of processor, to the
// byte: not on the requests beside it, the slots, or when it was submitted (the tests say so in
// F32, BF16 and int8).
//
// A request can fail by itself: where its scores are not finite it ends with a NumericError as its
// RequestOutput::error, and the others go on. An exception of the model, such as a lack of
// memory, ends every request of that prefill or step with that error, and the engine goes on with
// those that wait. step() never throws the model's exceptions.
//
// An engine belongs to one thread at a time. Engines in several threads may share a model's weights
// (such as models::TokenDecoder); each has a StepModel of its own.
class Engine {
 public:
  // The model has to outlive the engine and must not be shared with another engine. Throws
  // OptionError for options out of range, and for a drafter where the model cannot drop rows.
  explicit Engine(StepModel& model, const EngineOptions& options = {});
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Queues a request: first come, first served. Throws OptionError as check_request() does, and for
  // a request that would never fit into cache_rows; then nothing is queued.
  RequestId submit(Request request);

  // Begins waiting requests that fit, prefills part of the prompts, then takes one step of all
  // active requests whose prompts are prefilled: one token for each of their hypotheses, or several
  // that were drafted. Returns the requests that are finished, each once, and those that stream; a
  // step may return none. Does nothing when idle.
  std::vector<RequestOutput> step();

  // Drops a request, waiting, active or parked, or kept: it has no more outputs, and its slot is
  // free. Returns false for an id that is unknown, finished or cancelled.
  bool cancel(RequestId id);
  // Ends an active request with Request::keeps_rows early: it has no more outputs, and others may
  // share its rows until it is cancelled. Returns false for any other.
  bool keep(RequestId id);
  // Pauses an active request until it is resumed; another may become active in its place. It keeps
  // its rows of the cache. Returns false for one that is not active.
  bool park(RequestId id);
  // A parked request goes on, before those that wait, as soon as a slot is free. Returns false for
  // one that is not parked.
  bool resume(RequestId id);

  bool is_idle() const { return active() + waiting() == 0; }  // ignores parked requests
  int64_t active() const { return batch_.size(); }
  int64_t waiting() const { return std::ssize(waiting_) + std::ssize(resuming_); }
  const ModelTraits& model() const { return model_->traits(); }

 private:
  struct Waiting {
    RequestId id;
    Request request;
  };

  int64_t free_slots() const { return options_.slots - batch_.size(); }
  bool fits_next() const;
  // Resumes parked requests and gives waiting ones their slots: those are then in begun_.
  void fill_slots();
  void begin_requests(std::vector<RequestOutput>& out);
  void prefill(std::vector<RequestOutput>& out);
  void take_step(std::vector<RequestOutput>& out);
  // Tells the model which slots are free, and which keep their rows.
  void settle_slots();

  StepModel* model_;
  EngineOptions options_;
  ActiveBatch batch_;
  TokenSelector selector_;
  std::optional<DraftedSteps> drafted_;
  std::deque<Waiting> waiting_;
  RequestId next_id_ = 0;
  std::deque<RequestId> resuming_;
  std::vector<NewRequest> begun_;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_ENGINE_H_
