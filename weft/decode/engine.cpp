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
  return options;
}

}  // namespace

Engine::Engine(StepModel& model, const EngineOptions& options)
    : model_(&model),
      options_(checked(options)),
      batch_(options.slots, model.traits()),
      selector_(model.traits()) {
  model.reserve(options.slots);
}

RequestId Engine::submit(Request request) {
  check_request(request, model_->traits());
  const int64_t rows = cache_rows(request);
  if (options_.cache_rows != 0 && rows > options_.cache_rows) {
    fail<OptionError>("request",
                      "source, beam.size and length_limit need {} rows of the cache; expected at "
                      "most {}, the engine's cache_rows",
                      rows, options_.cache_rows);
  }
  waiting_.push_back({next_id_, std::move(request)});
  return next_id_++;
}

bool Engine::fits_next() const {
  if (waiting_.empty() || batch_.free_slots() == 0) return false;
  if (options_.cache_rows == 0) return true;
  return batch_.cache_rows() + cache_rows(waiting_.front().request) <= options_.cache_rows;
}

void Engine::prefill(std::vector<RequestOutput>& out) {
  const auto free = static_cast<double>(batch_.free_slots());
  if (free < options_.prefill_share * static_cast<double>(options_.slots)) return;
  entered_.clear();
  while (fits_next()) {
    Waiting& next = waiting_.front();
    const int32_t slot = batch_.add(next.id, std::move(next.request));
    entered_.push_back({slot, &batch_.request(slot)});
    waiting_.pop_front();
  }
  if (entered_.empty()) return;
  try {
    model_->prefill(entered_);
  } catch (...) {
    for (const Prefill& p : entered_) batch_.fail(p.slot, std::current_exception(), out);
    release_removed();
  }
}

std::vector<RequestOutput> Engine::step() {
  std::vector<RequestOutput> out;
  prefill(out);
  const Step step = batch_.next_step();
  if (step.ids.empty()) return out;
  try {
    const Tensor logits = model_->step(step);
    batch_.advance(selector_.select(logits, batch_.rows()), out);
  } catch (...) {
    batch_.fail_all(std::current_exception(), out);
  }
  release_removed();
  return out;
}

void Engine::release_removed() {
  const std::span<const int32_t> slots = batch_.take_removed();
  if (!slots.empty()) model_->release(slots);
}

bool Engine::cancel(RequestId id) {
  const auto waiting = std::ranges::find(waiting_, id, &Waiting::id);
  if (waiting != waiting_.end()) {
    waiting_.erase(waiting);
    return true;
  }
  const std::optional<int32_t> slot = batch_.find(id);
  if (!slot) return false;
  batch_.remove(*slot);
  release_removed();
  return true;
}

}  // namespace weft::decode
