#include "weft/predict/cross_view/view_batch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "weft/nn/context.h"

namespace weft::predict {
namespace {

RandomStream stream_of(PhiloxKey key, uint64_t index, uint32_t site) {
  return {key[0] | uint64_t{key[1]} << 32, index | uint64_t{site} << 32};
}

data::ViewPair draw_pair(const data::ViewPairs& pairs, const DrawnExample& example, PhiloxKey key) {
  RandomStream random = stream_of(key, example.index, nn::kAugmentationSite);
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

models::ViewBatch view_batch(const ViewRule& rule, std::span<const DrawnExample> examples,
                             int32_t first, PhiloxKey key) {
  const models::CrossViewModel& model = rule.session.model;
  const data::ChannelStatistics& numbers = rule.session.numbers;
  const int64_t patches = model.sizes.image.patches(model.options.patch_size);
  data::Features first_views, second_views;
  first_views.width = second_views.width = model.sizes.image.size();
  first_views.segments.first = second_views.segments.first = first;
  models::ViewBatch out;
  out.masked.segments.first = first;
  for (const DrawnExample& example : examples) {
    data::ViewPair pair = draw_pair(rule.pairs, example, key);
    if (rule.second == SecondView::kOther) {
      const int64_t size = rule.pairs.size();
      const int64_t other = (example.number + size / 2) % size;
      pair.second =
          draw_pair(rule.pairs, {.number = other, .index = static_cast<uint64_t>(other)}, key)
              .second;
    }
    append(pair.first, first_views);
    if (model.options.has_second_view()) append(pair.second, second_views);
    if (model.options.is_completion()) {
      RandomStream random = stream_of(key, example.index, nn::kMaskingSite);
      out.masked.add(draw_mask(patches, rule.mask_ratio, random));
    } else {
      out.masked.add({});
      const bool is_known = pair.numbers.size() == numbers.mean.size();
      for (size_t k = 0; is_known && k < pair.numbers.size(); ++k) {
        out.numbers.push_back(
            static_cast<float>((pair.numbers[k] - numbers.mean[k]) / numbers.deviation[k]));
      }
    }
  }
  const data::PatchRule cut{.shape = model.sizes.image,
                            .patch = model.options.patch_size,
                            .statistics = rule.session.pixels};
  out.first = data::patches_of(first_views, cut);
  out.second = data::patches_of(second_views, cut);
  return out;
}

}  // namespace weft::predict
