#include "weft/predict/cross_view/view_batch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "weft/nn/context.h"

namespace weft::predict {
namespace {

RandomStream stream_of(PhiloxKey key, uint64_t index, uint32_t stream) {
  return {key[0] | uint64_t{key[1]} << 32, index | uint64_t{stream} << 32};
}

data::ViewPair draw_views(const data::ViewPairs& pairs, const DrawnExample& example,
                          PhiloxKey key) {
  RandomStream random = stream_of(key, example.index, nn::kAugmentationStream);
  return pairs.pair(example.number, random);
}

void append(const std::vector<float>& picture, data::Features& pictures) {
  pictures.values.insert(pictures.values.end(), picture.begin(), picture.end());
  pictures.segments.append(1);
}

}  // namespace

std::vector<int32_t> draw_mask(int64_t patches, double ratio, RandomStream& random) {
  const int64_t count =
      std::clamp<int64_t>(std::llround(ratio * static_cast<double>(patches)), 1, patches - 1);
  std::vector<int32_t> order(static_cast<size_t>(patches));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = 0; i < count; ++i) {
    const auto other = static_cast<size_t>(i) + random.below(static_cast<uint64_t>(patches - i));
    std::swap(order[static_cast<size_t>(i)], order[other]);
  }
  order.resize(static_cast<size_t>(count));
  std::ranges::sort(order);
  return order;
}

DrawnPair draw_pair(const ViewParams& params, const DrawnExample& example, PhiloxKey key) {
  const models::CrossViewModel& model = params.session.model;
  DrawnPair out{draw_views(params.pairs, example, key)};
  if (params.second == SecondView::kOther) {
    const int64_t size = params.pairs.size();
    const int64_t other = (example.number + size / 2) % size;
    out.views.second =
        draw_views(params.pairs, {.number = other, .index = static_cast<uint64_t>(other)}, key)
            .second;
  }
  if (model.options.is_completion()) {
    RandomStream random = stream_of(key, example.index, nn::kMaskingStream);
    out.mask =
        draw_mask(model.dims.image.patches(model.options.patch_size), params.mask_ratio, random);
  }
  return out;
}

models::ViewBatch batch_of(const model_file::CrossViewSession& session,
                           std::span<const DrawnPair> pairs, int32_t first) {
  const models::CrossViewModel& model = session.model;
  const data::ChannelStatistics& statistics = session.numbers;
  data::Features first_views, second_views;
  first_views.width = second_views.width = model.dims.image.size();
  first_views.segments.first = second_views.segments.first = first;
  models::ViewBatch out;
  out.masked.segments.first = first;
  for (const auto& [views, mask] : pairs) {
    append(views.first, first_views);
    if (model.options.has_second_view()) append(views.second, second_views);
    out.masked.add(mask);
    if (model.options.is_completion() || views.numbers.size() != statistics.mean.size()) continue;
    for (size_t k = 0; k < views.numbers.size(); ++k) {
      out.numbers.push_back(
          static_cast<float>((views.numbers[k] - statistics.mean[k]) / statistics.deviation[k]));
    }
  }
  const data::PatchParams cut{
      .shape = model.dims.image, .patch = model.options.patch_size, .statistics = session.pixels};
  out.first = data::patches_of(first_views, cut);
  out.second = data::patches_of(second_views, cut);
  return out;
}

models::ViewBatch view_batch(const ViewParams& params, std::span<const DrawnExample> examples,
                             int32_t first, PhiloxKey key) {
  std::vector<DrawnPair> pairs;
  pairs.reserve(examples.size());
  for (const DrawnExample& example : examples) pairs.push_back(draw_pair(params, example, key));
  return batch_of(params.session, pairs, first);
}

}  // namespace weft::predict
