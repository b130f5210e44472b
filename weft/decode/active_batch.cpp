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

bool are_finite(const NextTokens& tokens, int64_t first_row, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (!tokens.is_finite(first_row + i)) return false;
  }
  return true;
}

}  // namespace

int64_t cache_rows(const Request& request) {
  return request.source_rows() + std::ssize(request.prompt) +
         request.beam.size * request.length_limit;
}

int64_t ActiveBatch::cache_rows() const {
  int64_t rows = 0;
  for (const auto& slot : slots_) rows += slot ? decode::cache_rows(slot->request) : 0;
  return rows;
}

int32_t ActiveBatch::add(RequestId id, Request request, bool is_drafted) {
  const auto free = std::ranges::find_if(slots_, [](const auto& s) { return s == nullptr; });
  const auto number = static_cast<int32_t>(free - slots_.begin());
  if (free == slots_.end()) slots_.emplace_back();
  slots_[number] = std::make_unique<Slot>(
      Slot{.id = id, .request = std::move(request), .is_drafted = is_drafted});
  Slot& slot = *slots_[number];
  const Request& r = slot.request;
  slot.beam.emplace(
      r.beam, Beam::Ends{.ids = end_ids(r, *model_), .limit = r.length_limit, .stop = &r.stop},
      r.constraints);
  // Every hypothesis of a sample draws for itself after the prefix.
  if (r.sampling && !r.prefix.empty()) slot.beam->copy_live(r.beam.size);
  prompts_.add(number, r);
  ++size_;
  return number;
}

std::optional<int32_t> ActiveBatch::find(RequestId id) const {
  const auto slot = std::ranges::find_if(slots_, [&](const auto& s) { return s && s->id == id; });
  if (slot == slots_.end()) return std::nullopt;
  return static_cast<int32_t>(slot - slots_.begin());
}

void ActiveBatch::remove(int32_t slot) {
  (slots_[slot]->is_parked ? parked_ : size_) -= 1;
  prompts_.remove(slot);
  slots_[slot] = nullptr;
  removed_.push_back(slot);
}

void ActiveBatch::park(int32_t slot, bool is_parked) {
  if (slots_[slot]->is_parked == is_parked) return;
  slots_[slot]->is_parked = is_parked;
  size_ += is_parked ? -1 : 1;
  parked_ += is_parked ? 1 : -1;
}

// The rows of several hypotheses are not kept.
void ActiveBatch::keep(int32_t number, std::span<const int32_t> target) {
  Slot& slot = *slots_[number];
  const bool is_one = slot.request.beam.size == 1;
  if (is_one && slot.has_stepped && !slot.is_drafted) kept_.push_back(number);
  prompts_.keep(number, is_one ? target : std::span<const int32_t>(),
                is_one ? static_cast<int64_t>(slot.beam->steps()) : 0);
  park(number, true);
  slot.beam.reset();
}

std::span<const int32_t> ActiveBatch::take_removed() {
  std::swap(removed_, taken_);
  removed_.clear();
  return taken_;
}

PromptRows ActiveBatch::next_prompts(int64_t limit, StepModel& model) {
  PromptRows out =
      prompts_.next(limit, model, [&](int32_t slot) { return slots_[slot]->is_parked; });
  for (const int32_t slot : out.slots) {
    if (attention_of(*slots_[slot]) != nullptr) out.attention = &attention_;
  }
  return out;
}

void ActiveBatch::advance_prompts(const PromptRows& prompts, const NextTokens& scores,
                                  std::vector<RequestOutput>& out) {
  int64_t row = 0;  // of the scores
  for (size_t i = 0; i < prompts.slots.size(); ++i) {
    const int32_t number = prompts.slots[i];
    const int64_t first = row, count = prompts.scored_counts[i];
    row += count;
    if (!are_finite(scores, first, count)) {
      fail(number, not_finite(), out);
      continue;
    }
    Slot& slot = *slots_[number];
    const bool has_attention = attention_of(slot) != nullptr;
    for (int64_t n = first; n < first + count && slot.beam->width() > 0; ++n) {
      const int32_t token = slot.request.prefix[slot.beam->steps()];
      slot.beam->force(token, scores.log_probability(n, token),
                       has_attention ? attention_.of(prompts.scored[n]) : std::span<const float>());
    }
    if (slot.beam->width() == 0) report(number, out);
  }
}

std::vector<int32_t> ActiveBatch::drafted() const {
  std::vector<int32_t> out;
  for (int32_t s = 0; s < std::ssize(slots_); ++s) {
    if (is_ready(s) && slots_[s]->is_drafted) out.push_back(s);
  }
  return out;
}

Step ActiveBatch::next_step() {
  ids_.clear();
  parents_.clear();
  rows_.clear();
  counts_.assign(slots_.size(), 0);
  SourceWeights* attention = nullptr;
  for (int32_t s = 0; s < std::ssize(slots_); ++s) {
    if (!is_ready(s) || slots_[s]->is_drafted) continue;
    Slot& slot = *slots_[s];
    counts_[s] = static_cast<int32_t>(slot.beam->width());
    slot.first_row = static_cast<int32_t>(ids_.size());
    for (int32_t i = 0; i < counts_[s]; ++i) {
      ids_.push_back(last_token(s, i));
      parents_.push_back(slot.has_stepped ? slot.beam->parent(i) : -1);
      rows_.push_back({&slot.request, &*slot.beam, i});
    }
    if (attention_of(slot) != nullptr) attention = &attention_;
  }
  return {.ids = ids_, .parents = parents_, .counts = counts_, .attention = attention};
}

void ActiveBatch::count_drafts(int32_t slot, const DraftCounts& more) {
  DraftCounts& counts = slots_[slot]->drafts;
  counts.drafted += more.drafted;
  counts.accepted += more.accepted;
}

void ActiveBatch::report(int32_t number, std::vector<RequestOutput>& out) {
  Slot& slot = *slots_[number];
  if (slot.beam->width() > 0) {
    if (slot.request.streams)
      out.push_back({.id = slot.id, .stable_prefix = slot.beam->stable_prefix()});
    return;
  }
  RequestOutput& output = out.emplace_back();
  output.id = slot.id;
  output.is_finished = true;
  output.cached_tokens = prompts_.cached(number);
  output.hypotheses = slot.beam->take();
  output.hypotheses.front().drafts = slot.drafts;
  if (slot.request.reports_tree) output.tree = slot.beam->nodes();
  if (slot.request.streams) output.stable_prefix = output.hypotheses.front().tokens;
  if (slot.request.keeps_rows) {
    keep(number, output.hypotheses.front().tokens);
  } else {
    remove(number);
  }
}

bool ActiveBatch::extend(int32_t number, const NextTokens& tokens, int64_t first_row,
                         std::vector<RequestOutput>& out) {
  Slot& slot = *slots_[number];
  if (!are_finite(tokens, first_row, slot.beam->width())) {
    fail(number, not_finite(), out);
    return false;
  }
  slot.has_stepped = true;
  slot.beam->advance(tokens, first_row, attention_of(slot));
  return true;
}

void ActiveBatch::advance(const NextTokens& tokens, std::vector<RequestOutput>& out) {
  for (int32_t s = 0; s < std::ssize(counts_); ++s) {
    if (counts_[s] > 0 && extend(s, tokens, slots_[s]->first_row, out)) report(s, out);
  }
}

void ActiveBatch::fail(int32_t slot, const std::exception_ptr& error,
                       std::vector<RequestOutput>& out) {
  out.push_back({.id = slots_[slot]->id, .is_finished = true, .error = error});
  remove(slot);
}

void ActiveBatch::fail_step(const std::exception_ptr& error, std::vector<RequestOutput>& out) {
  for (int32_t s = 0; s < std::ssize(counts_); ++s) {
    if (counts_[s] > 0 && slots_[s]) fail(s, error, out);
  }
}

}  // namespace weft::decode
