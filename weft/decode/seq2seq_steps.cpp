#include "weft/decode/seq2seq_steps.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "weft/decode/ensemble.h"
#include "weft/decode/request.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/models/capacity.h"
#include "weft/ops/rows/select_rows.h"

namespace weft::decode {
namespace {

// Rows of allowed tokens are whole blocks of columns, the most that a kernel takes at once, so that
// a sum over a row has the same bits however wide other rows make it.
constexpr int64_t kColumnBlock = 64;

ModelTraits traits_of(const models::Seq2Seq& model) {
  return {.source_vocabulary = model.sizes.source_vocab,
          .target_vocabulary = model.sizes.target_vocab,
          .source_capacity = models::source_capacity(model.options),
          .target_capacity = models::target_capacity(model.options),
          .trained_lengths = model.sizes.trained_lengths,
          .begin_id = static_cast<int32_t>(model.sizes.begin_id),
          .end_id = static_cast<int32_t>(model.sizes.end_id),
          .has_attention = model.has_attention()};
}

// The encoder's states of all requests, one after the other.
nn::Memory joined_memory(std::span<const NewRequest> requests) {
  Segments segments;
  for (const auto& [slot, request] : requests) segments.append(request->memory.rows());
  const Tensor& first = requests.front().request->memory;
  Tensor states = Tensor::empty({segments.rows(), first.cols()}, first.dtype());
  for (size_t i = 0; i < requests.size(); ++i) {
    const auto b = static_cast<int64_t>(i);
    backend_of(states)(kernels::Copy{.x = requests[i].request->memory,
                                     .y = states.row_range(segments.begin(b), segments.end(b))});
  }
  return {states, ops::make_rows(std::move(segments))};
}

// The context of a pass whose cross-attention is observed where `attention` is not null.
struct PassContext {
  std::optional<SourceWeightsObserver> observer;
  nn::Context context;

  PassContext(const models::Seq2Seq& model, SourceWeights* attention) {
    if (attention == nullptr) return;
    context.observer = &observer.emplace(model.decoder.cross_attentions(), *attention);
  }
};

}  // namespace

Seq2SeqSteps::Seq2SeqSteps(const models::Seq2Seq& model)
    : model_(&model), traits_(traits_of(model)), cache_(model.make_cache()) {}

void Seq2SeqSteps::reset() {
  cache_ = model_->make_cache();
  projections_.clear();
}

void Seq2SeqSteps::begin(std::span<const NewRequest> requests) {
  data::Tokens sources;
  std::vector<int32_t> slots;
  for (const auto& [slot, request] : requests) {
    sources.add(request->source);
    slots.push_back(slot);
    if (slot >= std::ssize(projections_)) projections_.resize(static_cast<size_t>(slot) + 1);
    if (!request->allowed.empty()) projections_[slot] = model_->projection_to(request->allowed);
  }
  nn::Context context;
  const nn::Memory memory =
      has_memory(requests) ? joined_memory(requests) : model_->encode(sources, context);
  cache_.add_sequences(slots, memory.rows->segments);
  model_->decoder.prefill_cross(memory, cache_);
}

bool Seq2SeqSteps::has_memory(std::span<const NewRequest> requests) const {
  if (traits_.source_vocabulary == 0) return true;
  // Recurrent and convolutional encoders give more than states.
  return model_->options.is_transformer() &&
         std::ranges::all_of(requests, [](const NewRequest& r) { return bool{r.request->memory}; });
}

Tensor Seq2SeqSteps::prefill(const PromptRows& prompts) {
  cache_.begin_prompt(prompts.slots, prompts.segments);
  const PassContext pass(*model_, prompts.attention);
  Tensor states = model_->prefill(ops::make_ids(prompts.ids), cache_, pass.context);
  if (prompts.scored.empty()) return {};
  states = ops::select_rows(states, ops::make_selection(prompts.scored, states.rows()), nullptr);
  return scores(states, rows_by_slot(prompts));
}

Tensor Seq2SeqSteps::step(const Step& step) {
  cache_.begin_step(step.parents, step.counts);
  const PassContext pass(*model_, step.attention);
  const ops::Ids ids = ops::make_ids({step.ids.begin(), step.ids.end()});
  return scores(model_->step(ids, cache_, pass.context), rows_by_slot(step));
}

int64_t Seq2SeqSteps::share_prompt(int32_t from, int32_t to, int64_t count) {
  return cache_.share_prompt(from, to, count);
}

void Seq2SeqSteps::release(std::span<const int32_t> slots) {
  cache_.release(slots);
  for (const int32_t slot : slots) {
    if (slot < std::ssize(projections_)) projections_[slot] = {};
  }
}

Tensor Seq2SeqSteps::scores(const Tensor& states, std::span<const SlotRows> slots) const {
  const nn::Context context;
  const bool is_limited =
      std::ranges::any_of(projections_, [](const nn::Linear& p) { return p.weight.is_present(); });
  if (!is_limited) return model_->logits(states, context);
  std::vector<Tensor> parts;  // of each slot
  int64_t width = 0, first = 0;
  for (const auto& [slot, rows] : slots) {
    const Tensor part = states.row_range(first, first + rows);
    const nn::Linear& project = projections_[slot];
    parts.push_back(project.weight.is_present() ? project(part, nullptr)
                                                : model_->logits(part, context));
    width = std::max(width, parts.back().cols());
    first += rows;
  }
  const auto& backend = backend_of(states);
  Tensor out =
      Tensor::empty({states.rows(), (width + kColumnBlock - 1) / kColumnBlock * kColumnBlock});
  backend(kernels::Fill{.y = out, .value = -std::numeric_limits<double>::infinity()});
  for (int64_t row = 0; const Tensor& part : parts) {
    backend(kernels::Copy{.x = part,
                          .y = out.row_range(row, row + part.rows()).col_range(0, part.cols())});
    row += part.rows();
  }
  return out;
}

void check_together(Models models, std::span<const double> weights) {
  if (!weights.empty() && weights.size() != models.size()) {
    fail<OptionError>("--weights", "expected one for each of {} models, got {}", models.size(),
                      weights.size());
  }
  if (models.size() == 1) return;
  for (const models::Seq2Seq* model : models) {
    if (model->options.is_left_to_right()) continue;
    fail<OptionError>("--model",
                      "one of several is of --generation {}, and models translate together token "
                      "by token; expected one model, or all left-to-right",
                      model->options.generation.name());
  }
}

std::unique_ptr<StepModel> step_model(Models models, std::span<const double> weights) {
  check_together(models, weights);
  if (!models.front()->options.is_left_to_right()) {
    fail<OptionError>("engine", "the model is of --generation {}; expected left-to-right",
                      models.front()->options.generation.name());
  }
  if (models.size() == 1 && weights.empty()) return std::make_unique<Seq2SeqSteps>(*models.front());
  std::vector<Member> members;
  for (size_t m = 0; m < models.size(); ++m) {
    members.push_back(
        {.model = step_model(*models[m]), .weight = weights.empty() ? 1 : weights[m]});
  }
  return std::make_unique<Ensemble>(std::move(members));
}

std::unique_ptr<StepModel> step_model(const models::Seq2Seq& model) {
  const models::Seq2Seq* const one = &model;
  return step_model(Models(&one, 1));
}

}  // namespace weft::decode
