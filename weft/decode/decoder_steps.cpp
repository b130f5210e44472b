#include "weft/decode/decoder_steps.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "weft/decode/request.h"
#include "weft/decode/search/coverage.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/nn/attention/observer.h"
#include "weft/ops/rows/select_rows.h"

namespace weft::decode {
namespace {

// Rows of allowed tokens are whole blocks of columns, the most that a kernel takes at once, so that
// a sum over a row has the same bits however wide other rows make it.
constexpr int64_t kColumnBlock = 64;

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
  return {states, ops::make_layout(std::move(segments))};
}

// Fills SourceWeights in a pass: the mean over the heads of the last layer that attends to the
// source.
class SourceWeightsObserver final : public nn::AttentionObserver {
 public:
  // `cross_attentions` is the decoder's number of layers that attend; `weights` has to outlive it.
  SourceWeightsObserver(int64_t cross_attentions, SourceWeights& weights)
      : key_{"decoder", cross_attentions - 1, nn::AttentionRole::kCross}, weights_(&weights) {}

  bool wants(const nn::AttentionKey& key) const override { return key == key_; }
  void see(const nn::AttentionKey&, const nn::ObservedAttention& attention,
           autograd::Tape*) override {
    weights_->weights.clear();
    weights_->segments.clear();
    for (int64_t w = 0; w < attention.examples(); ++w) {
      const Tensor mean = attention.mean(w);  // [1, S]
      const auto* first = mean.data<float>();
      weights_->weights.insert(weights_->weights.end(), first, first + mean.cols());
      weights_->segments.append(mean.cols());
    }
  }

 private:
  nn::AttentionKey key_;
  SourceWeights* weights_;
};

// The context of a pass whose cross-attention is observed where `attention` is not null.
struct PassContext {
  std::optional<SourceWeightsObserver> observer;
  nn::Context context;

  PassContext(const models::TokenDecoder& decoder, SourceWeights* attention) {
    if (attention == nullptr) return;
    context.observer = &observer.emplace(decoder.layers.cross_attentions(), *attention);
  }
};

}  // namespace

DecoderSteps::DecoderSteps(const models::TokenDecoder& decoder, const ModelTraits& traits,
                           Encode encode, std::optional<DType> cache_type)
    : decoder_(&decoder),
      traits_(traits),
      encode_(std::move(encode)),
      cache_type_(cache_type),
      cache_(decoder.make_cache(cache_type)) {}

void DecoderSteps::reset() {
  cache_ = decoder_->make_cache(cache_type_);
  projections_.clear();
}

void DecoderSteps::begin(std::span<const NewRequest> requests) {
  data::Tokens sources;
  std::vector<int32_t> slots;
  for (const auto& [slot, request] : requests) {
    sources.add(request->source);
    slots.push_back(slot);
    if (slot >= std::ssize(projections_)) projections_.resize(static_cast<size_t>(slot) + 1);
    if (!request->allowed.empty()) projections_[slot] = decoder_->projection_to(request->allowed);
  }
  if (!traits_.reads_source) return cache_.add_sequences(slots, Segments::uniform(slots.size(), 0));
  const nn::Memory memory = has_memory(requests) ? joined_memory(requests) : encode_(sources);
  cache_.add_sequences(slots, memory.rows->segments);
  decoder_->layers.prefill_cross(memory, cache_);
}

bool DecoderSteps::has_memory(std::span<const NewRequest> requests) const {
  if (!encode_) return true;
  // A recurrent decoder starts from more than states.
  return std::holds_alternative<nn::Stack>(decoder_->layers.kind) &&
         std::ranges::all_of(requests, [](const NewRequest& r) { return bool{r.request->memory}; });
}

Tensor DecoderSteps::prefill(const PromptRows& prompts) {
  cache_.begin_prompt(prompts.slots, prompts.segments);
  const PassContext pass(*decoder_, prompts.attention);
  Tensor states = decoder_->prefill(ops::make_ids(prompts.ids), cache_, pass.context);
  if (prompts.scored.empty()) return {};
  states = ops::select_rows(states, ops::make_selection(prompts.scored, states.rows()), nullptr);
  return scores(states, rows_by_slot(prompts));
}

Tensor DecoderSteps::step(const Step& step) {
  cache_.begin_step(step.parents, step.counts);
  const PassContext pass(*decoder_, step.attention);
  const ops::Ids ids = ops::make_ids({step.ids.begin(), step.ids.end()});
  return scores(decoder_->step(ids, cache_, pass.context), rows_by_slot(step));
}

int64_t DecoderSteps::share_prompt(int32_t from, int32_t to, int64_t count) {
  return cache_.share_prompt(from, to, count);
}

void DecoderSteps::keep_hypothesis(int32_t slot) { cache_.keep_hypothesis(slot); }

void DecoderSteps::drop_rows(int32_t slot, int64_t count) { cache_.drop_rows(slot, count); }

void DecoderSteps::release(std::span<const int32_t> slots) {
  cache_.release(slots);
  for (const int32_t slot : slots) {
    if (slot < std::ssize(projections_)) projections_[slot] = {};
  }
}

Tensor DecoderSteps::scores(const Tensor& states, std::span<const SlotRows> slots) const {
  const nn::Context context;
  const bool is_limited =
      std::ranges::any_of(projections_, [](const nn::Linear& p) { return p.weight.is_present(); });
  if (!is_limited) return decoder_->logits(states, context);
  std::vector<Tensor> parts;  // of each slot
  int64_t width = 0, first = 0;
  for (const auto& [slot, rows] : slots) {
    const Tensor part = states.row_range(first, first + rows);
    const nn::Linear& project = projections_[slot];
    parts.push_back(project.weight.is_present() ? decoder_->limited_logits(part, project, context)
                                                : decoder_->logits(part, context));
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

}  // namespace weft::decode
