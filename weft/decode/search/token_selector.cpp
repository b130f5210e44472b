#include "weft/decode/search/token_selector.h"

#include <algorithm>
#include <utility>

namespace weft::decode {
namespace {

// Mixes well enough that neighbouring streams have nothing in common (splitmix64).
uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

}  // namespace

void TokenSelector::adjust(const ActiveRow& row, TokenScores& scores) const {
  const Request& request = *row.request;
  const size_t step = row.beam->steps();
  for (const int32_t token : request.forbidden) scores.forbid(token);
  const bool may_end =
      std::cmp_greater_equal(step, request.min_length) && row.beam->is_complete(row.hypothesis);
  if (!may_end) {
    scores.forbid(model_->end_id);
    for (const int32_t token : request.end_ids) scores.forbid(token);
  }
  if (request.processors.empty()) return;
  const std::vector<int32_t> tokens = row.beam->tokens(row.hypothesis);
  const TokenHistory history{request.prompt, tokens};
  for (const LogitsProcessor& processor : request.processors) {
    std::visit([&](const auto& params) { params(history, scores); }, processor);
  }
}

RowSelection TokenSelector::selection_of(const ActiveRow& row, int64_t columns) const {
  const Request& request = *row.request;
  RowSelection out{.count = request.beam.size,
                   .width = request.allowed.empty() ? model_->target_vocabulary : columns,
                   .tokens = request.allowed};
  if (request.sampling) {
    const uint64_t step = row.beam->steps();
    const auto hypothesis = static_cast<uint64_t>(row.hypothesis);
    out.sampling = &*request.sampling;
    out.stream = mix(mix(request.sampling->stream + step) + hypothesis);
    if (step > 0) out.count = 1;
  }
  return out;
}

const NextTokens& TokenSelector::select(const Tensor& logits, std::span<const ActiveRow> rows) {
  selections_.clear();
  for (const ActiveRow& row : rows) selections_.push_back(selection_of(row, logits.cols()));
  next_.find(logits, selections_, [&](int64_t w, TokenScores& scores) { adjust(rows[w], scores); });
  return next_;
}

const NextTokens& TokenSelector::score(const Tensor& logits,
                                       std::span<const Request* const> requests) {
  selections_.clear();
  for (const Request* request : requests) {
    const std::span<const int32_t> allowed = request->allowed;
    selections_.push_back({.count = 0,
                           .width = allowed.empty() ? model_->target_vocabulary : logits.cols(),
                           .tokens = allowed});
  }
  next_.find(logits, selections_);
  return next_;
}

}  // namespace weft::decode
