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
  }
  traits_.is_normalised = true;
}

void Ensemble::reserve(int64_t slots) {
  for (Member& member : members_) member.model->reserve(slots);
  is_limited_.assign(static_cast<size_t>(slots), false);
}

void Ensemble::prefill(std::span<const Prefill> requests) {
  for (const auto& [slot, request] : requests) {
    if (request->memory) fail<OptionError>("request", "memory is of one model; got several");
    is_limited_[slot] = !request->allowed.empty();
  }
  for (Member& member : members_) member.model->prefill(requests);
}

// In place. Rows of all tokens have as many columns as there are tokens, whatever other rows have:
// so their sums have the same bits.
void Ensemble::log_softmax(const Tensor& scores, std::span<const int32_t> counts) const {
  const auto& backend = backend_of(scores);
  if (scores.cols() == traits_.target_vocabulary) {
    backend(kernels::LogSoftmax{.x = scores, .y = scores});
    return;
  }
  for (int64_t row = 0, s = 0; s < std::ssize(counts); row += counts[s++]) {
    if (counts[s] == 0) continue;
    const int64_t width = is_limited_[s] ? scores.cols() : traits_.target_vocabulary;
    const Tensor part = scores.row_range(row, row + counts[s]).col_range(0, width);
    backend(kernels::LogSoftmax{.x = part, .y = part});
  }
}

Tensor Ensemble::step(const Step& step) {
  Tensor sum;
  Step own = step;
  for (Member& member : members_) {
    Tensor scores = member.model->step(own);
    own.attention = nullptr;
    log_softmax(scores, step.counts);
    const auto& backend = backend_of(scores);
    if (!sum) {
      backend(kernels::Scale{.alpha = member.weight, .x = scores, .y = scores});
      sum = std::move(scores);
      continue;
    }
    backend(kernels::Accumulate{.alpha = member.weight, .x = scores, .y = sum});
  }
  return sum;
}

void Ensemble::release(std::span<const int32_t> slots) {
  for (Member& member : members_) member.model->release(slots);
}

}  // namespace weft::decode
