#include "weft/models/seq2seq/decoder_input.h"

#include <algorithm>
#include <numeric>

#include "weft/core/random.h"
#include "weft/nn/context.h"

namespace weft::models {
namespace {

uint32_t draw(PhiloxKey key, int32_t sequence, int32_t position, uint32_t what) {
  return philox(
      {nn::kMaskingStream, static_cast<uint32_t>(sequence), static_cast<uint32_t>(position), what},
      key)[0];
}

int32_t words_of(const data::Tokens& target, int64_t sequence) {
  return static_cast<int32_t>(target[sequence].size()) - 1;
}

}  // namespace

DecoderInput copied_input(std::span<const SourceCopy> copies, int32_t first) {
  DecoderInput out{.rows = nullptr, .ids = {}, .masked = {}, .is_copied = true};
  Segments segments{.first = first};
  for (const auto& [source, count] : copies) {
    const auto size = std::ssize(source);
    for (int64_t t = 0; t < count; ++t) out.ids.push_back(source[t * size / count]);
    segments.append(count);
  }
  out.rows = ops::make_layout(std::move(segments));
  return out;
}

std::vector<int32_t> draw_masked(PhiloxKey key, int32_t sequence, int32_t count) {
  if (count == 0) return {};
  const double uniform = draw(key, sequence, 0, 1) / 4294967296.0;  // in [0, 1)
  const auto masked = 1 + static_cast<int32_t>(uniform * count);
  std::vector<int32_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::vector<uint32_t> rank;
  rank.reserve(order.size());
  for (const int32_t t : order) rank.push_back(draw(key, sequence, t, 0));
  std::ranges::stable_sort(order, {}, [&](int32_t t) { return rank[t]; });
  order.resize(static_cast<size_t>(masked));
  std::ranges::sort(order);
  return order;
}

MaskedTargets mask_targets(const data::Tokens& target, int32_t mask_id, const PhiloxKey* key) {
  const Segments& segments = target.segments;
  MaskedTargets out{
      .input = {.rows = ops::make_layout(segments), .ids = target.ids}, .rows = {}, .targets = {}};
  for (int64_t b = 0; b < target.examples(); ++b) {
    const int32_t words = words_of(target, b), first = segments.begin(b);
    std::vector<int32_t> hidden(static_cast<size_t>(words));
    std::iota(hidden.begin(), hidden.end(), 0);
    if (key != nullptr) hidden = draw_masked(*key, segments.first + static_cast<int>(b), words);
    for (const int32_t t : hidden) {
      out.input.ids[first + t] = mask_id;
      out.input.masked.push_back(first + t);
    }
  }
  out.rows = out.targets = out.input.masked;
  return out;
}

MaskedTargets copy_sources(const data::Batch& batch, const GenerationKinds& generation) {
  const data::Tokens &source = batch.source(), &target = batch.target();
  const bool is_end_predicted = length_classifier(generation) == nullptr;
  std::vector<SourceCopy> copies;
  for (int64_t b = 0; b < target.examples(); ++b) {
    copies.push_back(
        {source[b], decoder_rows(generation, std::ssize(source[b]), std::ssize(target[b]))});
  }
  MaskedTargets out{
      .input = copied_input(copies, source.segments.first), .rows = {}, .targets = {}};
  for (int64_t b = 0; b < target.examples(); ++b) {
    const auto tokens = static_cast<int32_t>(target[b].size());
    for (int32_t t = 0; t < (is_end_predicted ? tokens : tokens - 1); ++t) {
      out.rows.push_back(out.input.rows->segments.begin(b) + t);
      out.targets.push_back(target.segments.begin(b) + t);
    }
  }
  return out;
}

}  // namespace weft::models
