#include "weft/decode/draft/model_drafter.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/decode/draft/draft_length.h"
#include "weft/nn/attention/sequence_rows.h"
#include "weft/nn/parameters.h"

namespace weft::decode {
namespace {

// Inputs of one draft that are read together; longer ones in several passes, to bound the memory.
constexpr int64_t kDraftRows = 256;
// A wrong draft is dropped, whatever windows the model has.
static_assert(DraftLength::kMost <= nn::SequenceRows::kDroppable);

void check_same(const ModelTraits& small, const ModelTraits& verifying) {
  const auto check = [](std::string_view property, int64_t found, int64_t expected) {
    if (found == expected) return;
    fail<OptionError>("--draft", "{} of the small model is {}; expected {}", property, found,
                      expected);
  };
  check("the source vocabulary", small.source_vocabulary, verifying.source_vocabulary);
  check("the vocabulary", small.target_vocabulary, verifying.target_vocabulary);
  if (!small.can_drop_rows) {
    fail<OptionError>("--draft",
                      "the small model keeps states from which no token can be taken back; "
                      "expected one that keeps keys and values of each token");
  }
}

// A pass over inputs of slots, with the scores after the last one of each.
struct DraftPass {
  PromptRows rows;

  void add(int32_t slot, std::span<const int32_t> inputs, bool is_scored) {
    rows.slots.push_back(slot);
    rows.ids.insert(rows.ids.end(), inputs.begin(), inputs.end());
    rows.segments.append(std::ssize(inputs));
    rows.scored_counts.push_back(is_scored ? 1 : 0);
    if (is_scored) rows.scored.push_back(static_cast<int32_t>(rows.ids.size()) - 1);
  }
};

int64_t weights_in(models::TokenDecoder decoder) {
  int64_t out = 0;
  for (const auto& [name, parameter] : nn::parameters_of(decoder)) out += parameter->shape.size();
  return out;
}

}  // namespace

ModelDrafter::ModelDrafter(std::unique_ptr<StepModel> model, const ModelTraits& verifying,
                           double token_cost)
    : model_(std::move(model)), selector_(model_->traits()), token_cost_(token_cost) {
  check_same(model_->traits(), verifying);
  model_->reset();
}

void ModelDrafter::begin(std::span<const NewRequest> requests) {
  std::vector<NewRequest> begun;
  for (const NewRequest& r : requests) {
    if (r.slot >= std::ssize(slots_)) slots_.resize(static_cast<size_t>(r.slot) + 1);
    const bool fits = std::ssize(r.request->source) <= model_->traits().source_capacity;
    slots_[r.slot] = {.is_begun = fits, .read = {}};
    if (fits) begun.push_back(r);
  }
  if (!begun.empty()) model_->begin(begun);
}

void ModelDrafter::release(std::span<const int32_t> slots) {
  std::vector<int32_t> begun;
  for (const int32_t slot : slots) {
    if (slot >= std::ssize(slots_) || !slots_[slot].is_begun) continue;
    begun.push_back(slot);
    slots_[slot] = {};
  }
  if (!begun.empty()) model_->release(begun);
}

std::optional<ModelDrafter::Draft> ModelDrafter::start(const DraftTask& task,
                                                       std::vector<int32_t>& tokens) {
  Slot& slot = slots_[task.slot];
  if (task.limit == 0 || !slot.is_begun) return std::nullopt;
  std::vector<int32_t> inputs = task.request->prompt;
  if (inputs.empty()) inputs.push_back(model_->traits().begin_id);
  const std::vector<int32_t> target = task.beam->tokens(0);
  inputs.insert(inputs.end(), target.begin(), target.end());
  const bool fits = std::ssize(inputs) + task.limit - 1 <= model_->traits().target_capacity;
  if (!fits) return std::nullopt;
  // The last input is always read, for the scores after it.
  const auto same = std::ranges::mismatch(slot.read, inputs).in1 - slot.read.begin();
  const auto kept = std::min<int64_t>(same, std::ssize(inputs) - 1);
  model_->drop_rows(task.slot, std::ssize(slot.read) - kept);
  slot.read.resize(static_cast<size_t>(kept));
  inputs.erase(inputs.begin(), inputs.begin() + kept);
  return Draft{&task, *task.beam, &tokens, std::move(inputs)};
}

Tensor ModelDrafter::read(std::vector<Draft>& drafts) {
  DraftPass last;
  for (Draft& draft : drafts) {
    std::vector<int32_t>& read = slots_[draft.task->slot].read;
    read.insert(read.end(), draft.unread.begin(), draft.unread.end());
    std::span<const int32_t> unread = draft.unread;
    for (; std::ssize(unread) > kDraftRows; unread = unread.subspan(kDraftRows)) {
      DraftPass part;
      part.add(draft.task->slot, unread.first(kDraftRows), false);
      model_->prefill(part.rows);
    }
    last.add(draft.task->slot, unread, true);
  }
  return model_->prefill(last.rows);
}

void ModelDrafter::extend(std::vector<Draft>& drafts) {
  const Tensor scores = read(drafts);
  std::vector<ActiveRow> rows;
  rows.reserve(drafts.size());
  for (const Draft& draft : drafts) rows.push_back({draft.task->request, &draft.beam, 0});
  const NextTokens& next = selector_.select(scores, rows);
  std::vector<Draft> left;
  for (size_t i = 0; i < drafts.size(); ++i) {
    Draft& draft = drafts[i];
    draft.beam.advance(next, static_cast<int64_t>(i));
    if (draft.beam.width() == 0) continue;  // nothing follows the end
    draft.tokens->push_back(draft.beam.token(0));
    draft.unread = {draft.beam.token(0)};
    if (std::ssize(*draft.tokens) < draft.task->limit) left.push_back(std::move(draft));
  }
  drafts = std::move(left);
}

std::vector<std::vector<int32_t>> ModelDrafter::draft(std::span<const DraftTask> tasks) {
  std::vector<std::vector<int32_t>> out(tasks.size());
  std::vector<Draft> drafts;
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (std::optional<Draft> draft = start(tasks[i], out[i])) drafts.push_back(std::move(*draft));
  }
  while (!drafts.empty()) extend(drafts);
  return out;
}

double relative_cost(const models::TokenDecoder& decoder, const models::TokenDecoder& other) {
  return static_cast<double>(weights_in(decoder)) / static_cast<double>(weights_in(other));
}

}  // namespace weft::decode
