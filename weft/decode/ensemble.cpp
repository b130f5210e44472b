#include "weft/decode/ensemble.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/decode/request.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/softmax.h"

namespace weft::decode {

Ensemble::Ensemble(std::vector<Member> members)
    : members_(std::move(members)), traits_(members_.front().model->traits()) {
  for (const Member& member : members_) {
    const ModelTraits& other = member.model->traits();
    if (other.source_vocabulary != traits_.source_vocabulary ||
        other.target_vocabulary != traits_.target_vocabulary) {
      fail<ShapeError>("ensemble",
                       "models with vocabularies of {} and {}, {} and {}; expected one size",
                       traits_.source_vocabulary, traits_.target_vocabulary,
                       other.source_vocabulary, other.target_vocabulary);
    }
    if (other.begin_id != traits_.begin_id || other.end_id != traits_.end_id) {
      fail<ShapeError>("ensemble", "models with different begin or end symbols; expected the same");
    }
    traits_.source_capacity = std::min(traits_.source_capacity, other.source_capacity);
    traits_.target_capacity = std::min(traits_.target_capacity, other.target_capacity);
    traits_.can_drop_rows &= other.can_drop_rows;
  }
  traits_.is_normalised = true;
}

void Ensemble::reset() {
  for (const Member& member : members_) member.model->reset();
  is_limited_.clear();
}

void Ensemble::begin(std::span<const NewRequest> requests) {
  for (const auto& [slot, request] : requests) {
    if (request->memory) fail<OptionError>("request", "memory is of one model; got several");
    if (slot >= std::ssize(is_limited_)) is_limited_.resize(static_cast<size_t>(slot) + 1);
    is_limited_[slot] = !request->allowed.empty();
  }
  for (const Member& member : members_) member.model->begin(requests);
}

// In place. Rows of all tokens have as many columns as there are tokens, whatever other rows have:
// so their sums have the same bits.
void Ensemble::log_softmax(const Tensor& scores, std::span<const SlotRows> slots) const {
  const auto& backend = backend_of(scores);
  if (scores.cols() == traits_.target_vocabulary) {
    backend(kernels::LogSoftmax{.x = scores, .y = scores});
    return;
  }
  int64_t first = 0;
  for (const auto& [slot, rows] : slots) {
    const int64_t width = is_limited_[slot] ? scores.cols() : traits_.target_vocabulary;
    const Tensor part = scores.row_range(first, first + rows).col_range(0, width);
    backend(kernels::LogSoftmax{.x = part, .y = part});
    first += rows;
  }
}

template <class F>
Tensor Ensemble::weighted_sum(std::span<const SlotRows> slots, F scores_of) const {
  Tensor sum;
  for (const Member& member : members_) {
    Tensor scores = scores_of(*member.model);
    if (!scores) continue;
    log_softmax(scores, slots);
    const auto& backend = backend_of(scores);
    if (sum) {
      backend(kernels::Accumulate{.alpha = member.weight, .x = scores, .y = sum});
    } else {
      backend(kernels::Scale{.alpha = member.weight, .x = scores, .y = scores});
      sum = std::move(scores);
    }
  }
  return sum;
}

Tensor Ensemble::prefill(const PromptRows& prompts) {
  PromptRows rows = prompts;
  return weighted_sum(rows_by_slot(prompts), [&](StepModel& member) {
    Tensor scores = member.prefill(rows);
    rows.attention = nullptr;
    return scores;
  });
}

Tensor Ensemble::step(const Step& step) {
  Step rows = step;
  return weighted_sum(rows_by_slot(step), [&](StepModel& member) {
    Tensor scores = member.step(rows);
    rows.attention = nullptr;
    return scores;
  });
}

void Ensemble::drop_rows(int32_t slot, int64_t count) {
  for (const Member& member : members_) member.model->drop_rows(slot, count);
}

void Ensemble::release(std::span<const int32_t> slots) {
  for (Member& member : members_) member.model->release(slots);
}

}  // namespace weft::decode
