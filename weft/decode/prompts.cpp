#include "weft/decode/prompts.h"

#include <algorithm>

#include "weft/decode/request.h"

namespace weft::decode {

void Prompts::add(int32_t slot, const Request& request) {
  if (slot >= std::ssize(prompts_)) prompts_.resize(static_cast<size_t>(slot) + 1);
  Prompt& prompt = prompts_[slot];
  prompt = {.request = &request, .tokens = request.prompt, .shared = {}};
  if (prompt.tokens.empty()) prompt.tokens.push_back(begin_id_);
  prompt.first_scored = std::ssize(prompt.tokens) - 1;
  prompt.tokens.insert(prompt.tokens.end(), request.prefix.begin(), request.prefix.end());
  if (left(prompt) == 0) return;
  waiting_.push_back(slot);
  prompt.shared = longest_beginning(prompt);
}

void Prompts::remove(int32_t slot) {
  prompts_[slot] = {};
  std::erase(waiting_, slot);
  for (Prompt& prompt : prompts_) {
    if (prompt.shared && prompt.shared->slot == slot) prompt.shared.reset();
  }
}

// The last token is not read.
void Prompts::keep(int32_t slot, std::span<const int32_t> target, int64_t steps) {
  Prompt& prompt = prompts_[slot];
  int64_t read = prompt.done;
  if (is_prefilled(slot)) {
    read = prompt.first_scored + steps;
    prompt.tokens.resize(static_cast<size_t>(prompt.first_scored) + 1);
    prompt.tokens.insert(prompt.tokens.end(), target.begin(), target.end());
  }
  prompt.tokens.resize(static_cast<size_t>(read) + 1);
  prompt.done = read;
  prompt.shared.reset();
  std::erase(waiting_, slot);
}

std::optional<Prompts::Beginning> Prompts::longest_beginning(const Prompt& prompt) const {
  const Request& request = *prompt.request;
  if (!request.prefix.empty() || request.memory) return std::nullopt;
  std::optional<Beginning> longest;
  for (int32_t s = 0; s < std::ssize(prompts_); ++s) {
    const Prompt& other = prompts_[s];
    if (&other == &prompt || other.request == nullptr || other.request->memory) continue;
    if (other.request->source != request.source) continue;
    const auto same = std::ranges::mismatch(prompt.tokens, other.tokens).in1;
    const int64_t count = std::min({same - prompt.tokens.begin(), std::ssize(prompt.tokens) - 1,
                                    std::ssize(other.tokens) - 1});
    if (count > (longest ? longest->count : 0)) longest = {s, count};
  }
  return longest;
}

void Prompts::share(int32_t slot, StepModel& model) {
  Prompt& prompt = prompts_[slot];
  if (!prompt.shared || prompts_[prompt.shared->slot].done < prompt.shared->count) return;
  prompt.cached = model.share_prompt(prompt.shared->slot, slot, prompt.shared->count);
  prompt.done = prompt.cached;
  prompt.shared.reset();
}

void Prompts::add_rows(int32_t slot, int64_t count, Prompt& prompt, PromptRows& out) {
  const int64_t first_row = out.segments.rows();
  const auto first = prompt.tokens.begin() + prompt.done;
  out.ids.insert(out.ids.end(), first, first + count);
  out.slots.push_back(slot);
  out.segments.append(count);
  const bool is_scored = !prompt.request->prefix.empty();
  const int64_t unscored = std::clamp<int64_t>(prompt.first_scored - prompt.done, 0, count);
  for (int64_t i = unscored; is_scored && i < count; ++i) {
    out.scored.push_back(static_cast<int32_t>(first_row + i));
  }
  out.scored_counts.push_back(is_scored ? static_cast<int32_t>(count - unscored) : 0);
  prompt.done += count;
}

PromptRows Prompts::next(int64_t limit, StepModel& model, const IsParked& is_parked) {
  for (const int32_t slot : waiting_) {
    share(slot, model);
    std::optional<Beginning>& shared = prompts_[slot].shared;
    if (shared && is_parked(shared->slot)) shared.reset();
  }
  PromptRows out;
  for (const int32_t slot : waiting_) {
    Prompt& prompt = prompts_[slot];
    const int64_t count = std::min(left(prompt), limit - out.segments.rows());
    if (count > 0 && !prompt.shared && !is_parked(slot)) add_rows(slot, count, prompt, out);
  }
  std::erase_if(waiting_, [&](int32_t slot) { return is_prefilled(slot); });
  return out;
}

}  // namespace weft::decode
