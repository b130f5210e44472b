#include "weft/decode/draft/drafted_steps.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/ops/rows/select_rows.h"

namespace weft::decode {

DraftedSteps::DraftedSteps(StepModel& model, Drafter& drafter)
    : model_(&model), drafter_(&drafter) {
  if (model.traits().can_drop_rows) return;
  fail<OptionError>("--draft",
                    "the model keeps states from which no token can be taken back; expected one "
                    "that keeps keys and values of each token");
}

bool DraftedSteps::takes(const Request& request) {
  return request.beam.size == 1 && request.beam.coverage_penalty == 0;
}

void DraftedSteps::begin(std::span<const NewRequest> requests) {
  std::vector<NewRequest> taken;
  for (const NewRequest& r : requests) {
    if (!takes(*r.request)) continue;
    taken.push_back(r);
    if (r.slot >= std::ssize(lengths_)) lengths_.resize(static_cast<size_t>(r.slot) + 1);
    lengths_[r.slot] = {};
  }
  if (!taken.empty()) drafter_->begin(taken);
}

void DraftedSteps::release(std::span<const int32_t> slots) { drafter_->release(slots); }

std::vector<std::vector<int32_t>> DraftedSteps::drafts(const ActiveBatch& batch,
                                                       std::span<const int32_t> slots) {
  std::vector<DraftTask> tasks;
  for (const int32_t slot : slots) {
    const Request& request = batch.request(slot);
    const Beam& beam = batch.beam(slot);
    // The last token of the longest target is none that anything follows.
    const int64_t most = request.length_limit - static_cast<int64_t>(beam.steps()) - 1;
    const int64_t length = lengths_[slot].next(std::ssize(slots) - 1, drafter_->token_cost());
    tasks.push_back({slot, &request, &beam, std::min(length, most)});
  }
  return drafter_->draft(tasks);
}

PromptRows DraftedSteps::pass(const ActiveBatch& batch, std::span<const int32_t> slots) {
  const std::vector<std::vector<int32_t>> drafted = drafts(batch, slots);
  PromptRows out;
  for (size_t i = 0; i < slots.size(); ++i) {
    const int64_t rows = 1 + std::ssize(drafted[i]);
    out.slots.push_back(slots[i]);
    out.ids.push_back(batch.last_token(slots[i]));
    out.ids.insert(out.ids.end(), drafted[i].begin(), drafted[i].end());
    out.segments.append(rows);
    out.scored_counts.push_back(static_cast<int32_t>(rows));
  }
  for (int32_t n = 0; n < std::ssize(out.ids); ++n) out.scored.push_back(n);
  return out;
}

void DraftedSteps::step(ActiveBatch& batch, TokenSelector& selector,
                        std::vector<RequestOutput>& out) {
  const std::vector<int32_t> slots = batch.drafted();
  if (slots.empty()) return;
  try {
    const PromptRows rows = pass(batch, slots);
    verify(rows, model_->prefill(rows), batch, selector, out);
  } catch (...) {
    for (const int32_t slot : slots) {
      if (batch.is_taken(slot)) batch.fail(slot, std::current_exception(), out);
    }
  }
}

// The next row of each request is read in the same turn.
void DraftedSteps::verify(const PromptRows& pass, const Tensor& scores, ActiveBatch& batch,
                          TokenSelector& selector, std::vector<RequestOutput>& out) {
  std::vector<Rows> left;
  for (int64_t i = 0; i < std::ssize(pass.slots); ++i) {
    const int64_t first = pass.segments.begin(i);
    left.push_back({pass.slots[i], first, first, pass.segments.end(i)});
  }
  while (!left.empty()) {
    std::vector<int32_t> numbers;
    std::vector<ActiveRow> rows;
    for (const Rows& r : left) {
      numbers.push_back(static_cast<int32_t>(r.next));
      rows.push_back({&batch.request(r.slot), &batch.beam(r.slot), 0});
    }
    const Tensor part =
        left.size() == 1
            ? scores.row_range(numbers.front(), numbers.front() + 1)
            : ops::select_rows(scores, ops::make_selection(numbers, scores.rows()), nullptr);
    const NextTokens& tokens = selector.select(part, rows);
    std::vector<Rows> accepted;
    for (size_t i = 0; i < left.size(); ++i) {
      Rows r = left[i];
      if (!batch.extend(r.slot, tokens, static_cast<int64_t>(i), out)) continue;
      const Beam& beam = batch.beam(r.slot);
      ++r.next;
      const bool is_right = beam.width() > 0 && r.next < r.end && beam.token(0) == pass.ids[r.next];
      if (is_right) {
        accepted.push_back(r);
      } else {
        finish(r, batch, out);
      }
    }
    left = std::move(accepted);
  }
}

void DraftedSteps::finish(const Rows& rows, ActiveBatch& batch, std::vector<RequestOutput>& out) {
  const bool goes_on = batch.beam(rows.slot).width() > 0;
  const int64_t accepted = rows.next - rows.first - 1, wrong = rows.end - rows.next;
  batch.count_drafts(rows.slot, {.drafted = rows.end - rows.first - 1, .accepted = accepted});
  lengths_[rows.slot].record(accepted, goes_on && wrong > 0);
  if (wrong > 0) model_->drop_rows(rows.slot, wrong);
  batch.report(rows.slot, out);
}

}  // namespace weft::decode
