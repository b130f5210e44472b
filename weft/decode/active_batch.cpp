#include "weft/decode/active_batch.h"

#include <algorithm>

namespace weft::decode {
namespace {

std::exception_ptr not_finite() {
  try {
    fail_not_finite();
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

int64_t cache_rows(const Request& request) {
  return request.source_rows() + request.beam.size * request.length_limit;
}

int64_t ActiveBatch::cache_rows() const {
  int64_t rows = 0;
  for (const Slot& slot : slots_) rows += slot.beam ? decode::cache_rows(slot.request) : 0;
  return rows;
}

int32_t ActiveBatch::add(RequestId id, Request request) {
  const auto slot = std::ranges::find_if(slots_, [](const Slot& s) { return !s.beam; });
  slot->id = id;
  slot->request = std::move(request);
  const Request& r = slot->request;
  slot->beam.emplace(r.beam, model_->end_id, r.length_limit, r.constraints);
  ++size_;
  return static_cast<int32_t>(slot - slots_.begin());
}

std::optional<int32_t> ActiveBatch::find(RequestId id) const {
  const auto slot =
      std::ranges::find_if(slots_, [&](const Slot& s) { return s.beam && s.id == id; });
  if (slot == slots_.end()) return std::nullopt;
  return static_cast<int32_t>(slot - slots_.begin());
}

void ActiveBatch::remove(int32_t slot) {
  slots_[slot] = {};
  --size_;
  removed_.push_back(slot);
}

std::span<const int32_t> ActiveBatch::take_removed() {
  std::swap(removed_, taken_);
  removed_.clear();
  return taken_;
}

Step ActiveBatch::next_step() {
  ids_.clear();
  parents_.clear();
  rows_.clear();
  SourceWeights* attention = nullptr;
  for (size_t s = 0; s < slots_.size(); ++s) {
    Slot& slot = slots_[s];
    counts_[s] = slot.beam ? static_cast<int32_t>(slot.beam->width()) : 0;
    if (counts_[s] == 0) continue;
    const bool is_first = slot.beam->steps() == 0;
    slot.first_row = static_cast<int32_t>(ids_.size());
    for (int32_t i = 0; i < counts_[s]; ++i) {
      ids_.push_back(is_first ? model_->begin_id : slot.beam->token(i));
      parents_.push_back(is_first ? -1 : slot.beam->parent(i));
      rows_.push_back({&slot.request, &*slot.beam, i});
    }
    if (attention_of(slot) != nullptr) attention = &attention_;
  }
  return {.ids = ids_, .parents = parents_, .counts = counts_, .attention = attention};
}

bool ActiveBatch::is_finite(const NextTokens& tokens, const Slot& slot) const {
  for (int64_t i = 0; i < slot.beam->width(); ++i) {
    if (!tokens.is_finite(slot.first_row + i)) return false;
  }
  return true;
}

void ActiveBatch::advance(const NextTokens& tokens, std::vector<RequestOutput>& out) {
  for (size_t s = 0; s < slots_.size(); ++s) {
    Slot& slot = slots_[s];
    if (!slot.beam) continue;
    if (!is_finite(tokens, slot)) {
      fail(static_cast<int32_t>(s), not_finite(), out);
      continue;
    }
    slot.beam->advance(tokens, slot.first_row, attention_of(slot));
    if (slot.beam->width() > 0) {
      if (slot.request.streams) out.push_back({.id = slot.id, .decided = slot.beam->decided()});
      continue;
    }
    RequestOutput& output = out.emplace_back();
    output.id = slot.id;
    output.is_finished = true;
    output.hypotheses = slot.beam->take();
    if (slot.request.reports_tree) output.tree = slot.beam->nodes();
    if (slot.request.streams) output.decided = output.hypotheses.front().tokens;
    remove(static_cast<int32_t>(s));
  }
}

void ActiveBatch::fail(int32_t slot, const std::exception_ptr& error,
                       std::vector<RequestOutput>& out) {
  out.push_back({.id = slots_[slot].id, .is_finished = true, .error = error});
  remove(slot);
}

void ActiveBatch::fail_all(const std::exception_ptr& error, std::vector<RequestOutput>& out) {
  for (size_t s = 0; s < slots_.size(); ++s) {
    if (slots_[s].beam) fail(static_cast<int32_t>(s), error, out);
  }
}

}  // namespace weft::decode
