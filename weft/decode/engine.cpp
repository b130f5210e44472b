#include "weft/decode/engine.h"

#include <algorithm>

#include "weft/core/error.h"

namespace weft::decode {
namespace {

const EngineOptions& checked(const EngineOptions& options) {
  constexpr int64_t kMostSlots = 1'000'000;
  if (options.slots < 1 || options.slots > kMostSlots) {
    fail<OptionError>("engine", "slots is {}; expected 1 to {}", options.slots, kMostSlots);
  }
  if (options.cache_rows < 0) {
    fail<OptionError>("engine", "cache_rows is {}; expected at least 0", options.cache_rows);
  }
  if (!(options.prefill_share >= 0 && options.prefill_share <= 1)) {
    fail<OptionError>("engine", "prefill_share is {}; expected 0 to 1", options.prefill_share);
  }
  if (options.prefill_rows < 1) {
    fail<OptionError>("engine", "prefill_rows is {}; expected at least 1", options.prefill_rows);
  }
  return options;
}

}  // namespace

Engine::Engine(StepModel& model, const EngineOptions& options)
    : model_(&model),
      options_(checked(options)),
      batch_(model.traits()),
      selector_(model.traits()) {
  if (options_.drafter != nullptr) drafted_.emplace(model, *options_.drafter);
  model.reset();
}

RequestId Engine::submit(Request request) {
  check_request(request, model_->traits());
  const int64_t rows = cache_rows(request);
  if (options_.cache_rows != 0 && rows > options_.cache_rows) {
    fail<OptionError>(
        "request",
        "source, prompt, beam.size and length_limit need {} rows of the cache; expected at "
        "most {}, the engine's cache_rows",
        rows, options_.cache_rows);
  }
  waiting_.push_back({next_id_, std::move(request)});
  return next_id_++;
}

bool Engine::fits_next() const {
  if (waiting_.empty() || free_slots() == 0) return false;
  if (options_.cache_rows == 0) return true;
  return batch_.cache_rows() + cache_rows(waiting_.front().request) <= options_.cache_rows;
}

void Engine::fill_slots() {
  for (; !resuming_.empty() && free_slots() > 0; resuming_.pop_front()) {
    batch_.park(*batch_.find(resuming_.front()), false);
  }
  begun_.clear();
  const auto free = static_cast<double>(free_slots());
  if (free < options_.prefill_share * static_cast<double>(options_.slots)) return;
  while (fits_next()) {
    Waiting& next = waiting_.front();
    const bool is_drafted = drafted_ && DraftedSteps::takes(next.request);
    const int32_t slot = batch_.add(next.id, std::move(next.request), is_drafted);
    begun_.push_back({slot, &batch_.request(slot)});
    waiting_.pop_front();
  }
}

void Engine::prefill(std::vector<RequestOutput>& out) {
  const PromptRows prompts = batch_.next_prompts(options_.prefill_rows, *model_);
  if (prompts.ids.empty()) return;
  try {
    const Tensor scores = model_->prefill(prompts);
    std::vector<const Request*> requests;
    for (const auto& [slot, rows] : rows_by_slot(prompts)) {
      requests.insert(requests.end(), static_cast<size_t>(rows), &batch_.request(slot));
    }
    if (!requests.empty()) {
      batch_.advance_prompts(prompts, selector_.score(scores, requests), out);
    }
  } catch (...) {
    for (const int32_t slot : prompts.slots) batch_.fail(slot, std::current_exception(), out);
  }
  settle_slots();
}

void Engine::begin_requests(std::vector<RequestOutput>& out) {
  if (begun_.empty()) return;
  try {
    model_->begin(begun_);
    if (drafted_) drafted_->begin(begun_);
  } catch (...) {
    for (const NewRequest& r : begun_) batch_.fail(r.slot, std::current_exception(), out);
    settle_slots();
  }
}

std::vector<RequestOutput> Engine::step() {
  std::vector<RequestOutput> out;
  fill_slots();
  begin_requests(out);
  prefill(out);
  if (drafted_) drafted_->step(batch_, selector_, out);
  take_step(out);
  settle_slots();
  return out;
}

void Engine::take_step(std::vector<RequestOutput>& out) {
  const Step step = batch_.next_step();
  if (step.ids.empty()) return;
  try {
    const Tensor logits = model_->step(step);
    batch_.advance(selector_.select(logits, batch_.rows()), out);
  } catch (...) {
    batch_.fail_step(std::current_exception(), out);
  }
}

void Engine::settle_slots() {
  for (const int32_t slot : batch_.take_kept()) model_->keep_hypothesis(slot);
  const std::span<const int32_t> slots = batch_.take_removed();
  if (slots.empty()) return;
  model_->release(slots);
  if (drafted_) drafted_->release(slots);
}

bool Engine::cancel(RequestId id) {
  const auto waiting = std::ranges::find(waiting_, id, &Waiting::id);
  if (waiting != waiting_.end()) {
    waiting_.erase(waiting);
    return true;
  }
  const std::optional<int32_t> slot = batch_.find(id);
  if (!slot) return false;
  std::erase(resuming_, id);
  batch_.remove(*slot);
  settle_slots();
  return true;
}

bool Engine::keep(RequestId id) {
  const std::optional<int32_t> slot = batch_.find(id);
  if (!slot || batch_.is_parked(*slot) || !batch_.request(*slot).keeps_rows) return false;
  batch_.keep(*slot);
  settle_slots();
  return true;
}

bool Engine::park(RequestId id) {
  const std::optional<int32_t> slot = batch_.find(id);
  if (!slot || batch_.is_parked(*slot)) return false;
  batch_.park(*slot, true);
  return true;
}

bool Engine::resume(RequestId id) {
  const std::optional<int32_t> slot = batch_.find(id);
  if (!slot || !batch_.is_parked(*slot) || batch_.is_kept(*slot)) return false;
  if (std::ranges::count(resuming_, id) > 0) return false;
  resuming_.push_back(id);
  return true;
}

}  // namespace weft::decode
