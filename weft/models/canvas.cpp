#include "weft/models/canvas.h"

#include <algorithm>
#include <numeric>

#include "weft/core/random.h"
#include "weft/models/capacity.h"
#include "weft/nn/context.h"

namespace weft::models {
namespace {

uint32_t draw(PhiloxKey key, int32_t sentence, int32_t position, uint32_t what) {
  return philox(
      {nn::kMaskingSite, static_cast<uint32_t>(sentence), static_cast<uint32_t>(position), what},
      key)[0];
}

int32_t words_of(const data::Tokens& side, int64_t sentence) {
  return static_cast<int32_t>(side[sentence].size()) - 1;
}

}  // namespace

Canvas copied_canvas(std::span<const SourceCopy> copies, int32_t first) {
  Canvas out{.rows = nullptr, .ids = {}, .masked = {}, .is_copied = true};
  Segments segments{.first = first};
  for (const auto& [source, count] : copies) {
    const auto size = std::ssize(source);
    for (int64_t t = 0; t < count; ++t) out.ids.push_back(source[t * size / count]);
    segments.append(count);
  }
  out.rows = ops::make_rows(std::move(segments));
  return out;
}

std::vector<int32_t> draw_masked(PhiloxKey key, int32_t sentence, int32_t count) {
  if (count == 0) return {};
  const double share = draw(key, sentence, 0, 1) / 4294967296.0;
  const auto masked = 1 + static_cast<int32_t>(share * count);
  std::vector<int32_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::vector<uint32_t> rank;
  rank.reserve(order.size());
  for (const int32_t t : order) rank.push_back(draw(key, sentence, t, 0));
  std::ranges::stable_sort(order, {}, [&](int32_t t) { return rank[t]; });
  order.resize(static_cast<size_t>(masked));
  std::ranges::sort(order);
  return order;
}

Predicted mask_targets(const data::Tokens& target, int32_t mask_id, const PhiloxKey* key) {
  const Segments& segments = target.segments;
  Predicted out{
      .canvas = {.rows = ops::make_rows(segments), .ids = target.ids}, .rows = {}, .at = {}};
  for (int64_t b = 0; b < target.examples(); ++b) {
    const int32_t words = words_of(target, b), first = segments.begin(b);
    std::vector<int32_t> hidden(static_cast<size_t>(words));
    std::iota(hidden.begin(), hidden.end(), 0);
    if (key != nullptr) hidden = draw_masked(*key, segments.first + static_cast<int>(b), words);
    for (const int32_t t : hidden) {
      out.canvas.ids[first + t] = mask_id;
      out.canvas.masked.push_back(first + t);
    }
  }
  out.rows = out.at = out.canvas.masked;
  return out;
}

Predicted copy_sources(const data::Batch& batch, const Seq2SeqOptions& o) {
  const data::Tokens &source = batch.source(), &target = batch.target();
  std::vector<SourceCopy> copies;
  for (int64_t b = 0; b < target.examples(); ++b) {
    copies.push_back({source[b], decoder_rows(o, std::ssize(source[b]), std::ssize(target[b]))});
  }
  Predicted out{.canvas = copied_canvas(copies, source.segments.first), .rows = {}, .at = {}};
  for (int64_t b = 0; b < target.examples(); ++b) {
    const auto tokens = static_cast<int32_t>(target[b].size());
    for (int32_t t = 0; t < (o.predicts_length() ? tokens - 1 : tokens); ++t) {
      out.rows.push_back(out.canvas.rows->segments.begin(b) + t);
      out.at.push_back(target.segments.begin(b) + t);
    }
  }
  return out;
}

}  // namespace weft::models
