#include "weft/nn/attention/sequence_rows.h"

#include <algorithm>

#include "weft/core/error.h"

namespace weft::nn {

SequenceRows::Slot& SequenceRows::slot_of(int32_t slot) {
  const auto number = static_cast<size_t>(slot);
  if (number >= slots_.size()) slots_.resize(number + 1);
  return slots_[number];
}

const SequenceRows::Path& SequenceRows::prompt_of(int32_t slot) const {
  static const Path kNone;
  return slot < std::ssize(slots_) ? slots_[slot].prompt : kNone;
}

void SequenceRows::release(int32_t number) {
  Slot& slot = slot_of(number);
  for (const Path& path : slot.hypotheses) release(path);
  release(slot.prompt);
  slot = {};
}

bool SequenceRows::has_beginning(int32_t slot, int64_t count) const {
  const Path& prompt = prompt_of(slot);
  return count <= prompt.end() && pattern_.first_key(count) >= prompt.first;
}

void SequenceRows::share(int32_t from, int32_t to, int64_t count) {
  const Path& whole = prompt_of(from);
  Path part{.rows = {whole.rows.begin(), whole.rows.begin() + (count - whole.first)},
            .first = whole.first};
  pool_.hold(part.rows);
  slot_of(to).prompt = std::move(part);
}

void SequenceRows::keep_hypothesis(int32_t number) {
  Slot& slot = slot_of(number);
  release(slot.prompt);
  slot.prompt = std::move(slot.hypotheses.front());
  slot.hypotheses.clear();
}

void SequenceRows::crop(int32_t slot, int64_t count) {
  Path& prompt = slot_of(slot).prompt;
  const auto left = static_cast<size_t>(count - prompt.first);
  pool_.release(std::span(prompt.rows).subspan(left));
  prompt.rows.resize(left);
}

// Of a path that goes on. A page at a time, so that a list is seldom moved.
void SequenceRows::free_hidden(Path& path) {
  const int64_t first = pattern_.first_key(std::max<int64_t>(path.end() - kDroppable, 0));
  const int64_t hidden = first - path.first;
  if (hidden < RowPool::kPageRows) return;
  pool_.release(std::span(path.rows).first(static_cast<size_t>(hidden)));
  path.rows.erase(path.rows.begin(), path.rows.begin() + hidden);
  path.first = first;
}

void SequenceRows::begin_pass() {
  attended_.clear();
  first_positions_.clear();
  positions_.clear();
  numbers_.clear();
}

void SequenceRows::add_to_pass(const Path& path, int64_t position) {
  const auto count = static_cast<size_t>(position - path.first) + 1;
  attended_.push_back(std::span(path.rows).first(count));
  first_positions_.push_back(static_cast<int32_t>(path.first));
  positions_.push_back(static_cast<int32_t>(position));
  numbers_.push_back(attended_.back().back());
}

void SequenceRows::extend_prompt(int32_t slot, int64_t count) {
  Path& prompt = slot_of(slot).prompt;
  free_hidden(prompt);
  const int64_t before = prompt.end();
  pool_.take(count, prompt.rows);
  for (int64_t position = before; position < prompt.end(); ++position) {
    add_to_pass(prompt, position);
  }
}

// A parent's list goes to its last child; the others have copies.
void SequenceRows::continue_hypotheses(int32_t number, std::span<const int32_t> parents) {
  Slot& slot = slot_of(number);
  std::vector<int32_t> children(slot.hypotheses.size(), 0);
  for (const int32_t parent : parents) {
    if (parent < 0) continue;
    if (parent >= std::ssize(children)) {
      fail<ShapeError>("kv cache", "a step continues hypothesis {} of {}", parent, children.size());
    }
    ++children[parent];
  }
  std::vector<Path> next(parents.size());
  for (size_t i = 0; i < parents.size(); ++i) {
    const int32_t parent = parents[i];
    Path& from = parent < 0 ? slot.prompt : slot.hypotheses[parent];
    if (parent >= 0 && --children[parent] == 0) {
      next[i] = std::move(from);
      from = {};
    } else {
      next[i] = from;
      pool_.hold(from.rows);
    }
    free_hidden(next[i]);
    pool_.take(1, next[i].rows);
  }
  for (const Path& path : slot.hypotheses) release(path);
  slot.hypotheses = std::move(next);
  for (const Path& path : slot.hypotheses) add_to_pass(path, path.end() - 1);
}

}  // namespace weft::nn
