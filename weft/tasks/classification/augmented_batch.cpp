#include "weft/tasks/classification/augmented_batch.h"

namespace weft::tasks {
data::Batch augmented(data::Batch batch, const Augmentation& with, const nn::Context& context) {
  auto& pictures = std::get<data::Features>(batch.fields[0]);
  const auto width = static_cast<size_t>(pictures.width);
  data::Labels others;
  others.segments.first = pictures.segments.first;
  const auto count = static_cast<uint32_t>(with.training.size());
  for (int64_t b = 0; b < pictures.examples(); ++b) {
    RandomStream random = nn::augmentation_stream(context, pictures.segments, b);
    const std::span<float> picture =
        std::span(pictures.values).subspan(static_cast<size_t>(b) * width, width);
    augment(picture, with.shape, with.statistics, with.options, random);
    if (with.mix_up == 0) continue;
    const int64_t number = random.below(count);
    data::Batch other = with.training.batch(std::span(&number, 1));
    std::vector<float>& values = std::get<data::Features>(other.fields[0]).values;
    augment(values, with.shape, with.statistics, with.options, random);
    const auto share = static_cast<float>(data::draw_beta(with.mix_up, random));
    for (size_t i = 0; i < width; ++i) {
      picture[i] = share * picture[i] + (1 - share) * values[i];
    }
    others.add(with.training.labels(number, 0));
    others.values.push_back(share);
  }
  if (with.mix_up > 0) batch.fields.emplace_back(std::move(others));
  return batch;
}

}  // namespace weft::tasks
