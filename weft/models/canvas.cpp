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

int32_t words_of(const data::Ragged& side, int64_t sentence) {
  return static_cast<int32_t>(side[sentence].size()) - 1;
}

}  // namespace

void copy_evenly(std::span<const int32_t> source, int64_t count, std::vector<int32_t>& to) {
  const auto size = std::ssize(source);
  for (int64_t t = 0; t < count; ++t) to.push_back(source[t * size / count]);
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

Blanks mask_targets(const data::Ragged& target, int32_t first_sentence, int32_t mask_id,
                    const PhiloxKey* key) {
  Blanks out{.canvas = {.rows = ops::make_rows(target.offsets, first_sentence), .ids = target.ids},
             .rows = {},
             .at = {}};
  for (int64_t b = 0; b < target.sentences(); ++b) {
    const int32_t words = words_of(target, b), first = target.offsets[b];
    std::vector<int32_t> hidden(static_cast<size_t>(words));
    std::iota(hidden.begin(), hidden.end(), 0);
    if (key != nullptr) hidden = draw_masked(*key, first_sentence + static_cast<int>(b), words);
    for (const int32_t t : hidden) {
      out.canvas.ids[first + t] = mask_id;
      out.canvas.masked.push_back(first + t);
    }
  }
  out.rows = out.at = out.canvas.masked;
  return out;
}

Blanks copy_sources(const data::Batch& batch, int32_t first_sentence, const Seq2SeqOptions& o) {
  const data::Ragged &source = batch.source(), &target = batch.target();
  Blanks out;
  out.canvas.is_copied = true;
  std::vector<int32_t> offsets = {0};
  for (int64_t b = 0; b < target.sentences(); ++b) {
    const auto tokens = std::ssize(target[b]);
    const int64_t count = decoder_rows(o, std::ssize(source[b]), tokens);
    for (int64_t t = 0; t < (o.predicts_length() ? tokens - 1 : tokens); ++t) {
      out.rows.push_back(offsets.back() + static_cast<int32_t>(t));
      out.at.push_back(target.offsets[b] + static_cast<int32_t>(t));
    }
    copy_evenly(source[b], count, out.canvas.ids);
    offsets.push_back(static_cast<int32_t>(out.canvas.ids.size()));
  }
  out.canvas.rows = ops::make_rows(offsets, first_sentence);
  return out;
}

}  // namespace weft::models
