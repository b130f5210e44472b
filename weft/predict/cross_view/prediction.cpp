#include "weft/predict/cross_view/prediction.h"

#include <algorithm>
#include <cmath>

#include "weft/predict/not_finite.h"

namespace weft::predict {
namespace {

constexpr double kGrey = 128;

using Run = std::function<void(const models::ViewBatch& views, int64_t first)>;

// Calls run() for batches of pairs in order, `first` being the first pair's number.
void for_each_batch(const model_file::CrossViewSession& session, const data::ViewPairs& pairs,
                    const PredictionOptions& options, const Run& run) {
  const ViewRule rule{.session = session,
                      .pairs = pairs,
                      .mask_ratio = options.mask_ratio,
                      .second = options.second};
  const PhiloxKey key{static_cast<uint32_t>(options.seed),
                      static_cast<uint32_t>(options.seed >> 32)};
  for (int64_t first = 0; first < pairs.size(); first += options.mini_batch) {
    std::vector<DrawnExample> examples;
    for (int64_t i = first; i < std::min(first + options.mini_batch, pairs.size()); ++i) {
      examples.push_back({.number = i, .index = static_cast<uint64_t>(options.first_example + i)});
    }
    run(view_batch(rule, examples, 0, key), first);
  }
}

std::vector<float> numbers_of(const Tensor& x) {
  const Tensor rounded = x.to(DType::kF32);
  std::vector<float> out;
  for (int64_t n = 0; n < rounded.rows(); ++n) {
    const float* row = rounded.row_range(n, n + 1).data<float>();
    out.insert(out.end(), row, row + rounded.cols());
  }
  return out;
}

double mean_square(std::span<const float> x, std::span<const float> y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double d = double{x[i]} - y[i];
    sum += d * d;
  }
  return x.empty() ? 0 : sum / static_cast<double>(x.size());
}

// Patches as a picture.
class Painter {
 public:
  explicit Painter(const model_file::CrossViewSession& session)
      : shape_(session.model.sizes.image),
        patch_(session.model.options.patch_size),
        statistics_(session.pixels) {}

  data::Image blank() const {
    data::Image out{
        .height = shape_.height, .width = shape_.width, .channels = shape_.channels, .pixels = {}};
    out.pixels.resize(static_cast<size_t>(shape_.size()));
    return out;
  }
  // level(i) is the byte of a patch's number i, in the order [channels, patch, patch].
  template <class Level>
  void paint(data::Image& image, int64_t number, const Level& level) const {
    const int64_t columns = shape_.width / patch_;
    const int64_t top = number / columns * patch_, left = number % columns * patch_;
    for (int64_t i = 0; i < patch_ * patch_ * shape_.channels; ++i) {
      const int64_t channel = i / (patch_ * patch_);
      const int64_t row = top + i / patch_ % patch_, column = left + i % patch_;
      const auto at =
          static_cast<size_t>((row * shape_.width + column) * shape_.channels + channel);
      image.pixels[at] = static_cast<uint8_t>(std::clamp<double>(std::round(level(i)), 0, 255));
    }
  }
  // Of normalised numbers.
  void paint_numbers(data::Image& image, int64_t number, std::span<const float> values) const {
    paint(image, number, [&](int64_t i) {
      const auto channel = static_cast<size_t>(i / (patch_ * patch_));
      return 255 * (values[static_cast<size_t>(i)] * statistics_.deviation[channel] +
                    statistics_.mean[channel]);
    });
  }
  void paint_grey(data::Image& image, int64_t number) const {
    paint(image, number, [](int64_t) { return kGrey; });
  }
  data::Image picture(const data::Features& views, int64_t example) const {
    data::Image out = blank();
    for (int32_t n = views.segments.begin(example); n < views.segments.end(example); ++n) {
      paint_numbers(out, n - views.segments.begin(example),
                    std::span(views.values).subspan(n * views.width, views.width));
    }
    return out;
  }

 private:
  data::ImageShape shape_;
  int64_t patch_;
  data::ChannelStatistics statistics_;
};

// The predictions of a batch, [masked, width], beside what they should be.
struct Predicted {
  std::vector<float> pixels, truth;
  int64_t width = 0;

  std::span<const float> patch(int64_t n) const {
    return std::span(pixels).subspan(n * width, width);
  }
  double error(int64_t begin, int64_t end) const {
    return mean_square(std::span(pixels).subspan(begin * width, (end - begin) * width),
                       std::span(truth).subspan(begin * width, (end - begin) * width));
  }
};
Predicted predict(const models::CrossViewModel& model, const models::ViewBatch& views) {
  return {numbers_of(model.completion(views, {})), numbers_of(model.completion_target(views)),
          views.first.width};
}

}  // namespace

void complete_pairs(const model_file::CrossViewSession& session, const data::ViewPairs& pairs,
                    const PredictionOptions& options,
                    const std::function<void(const Completion&)>& take) {
  const Painter painter(session);
  const auto& objective = session.model.options.objective.get<models::CompletionObjective>();
  for_each_batch(session, pairs, options, [&](const models::ViewBatch& views, int64_t first) {
    const Predicted found = predict(session.model, views);
    for (int64_t b = 0; b < views.first.examples(); ++b) {
      const Segments& masked = views.masked.segments;
      Completion out{.example = options.first_example + first + b,
                     .masked = {},
                     .completed = {},
                     .first = {},
                     .second = {}};
      out.first = out.masked = out.completed = painter.picture(views.first, b);
      out.second = views.second.rows() > 0 ? painter.picture(views.second, b) : painter.blank();
      for (int32_t n = masked.begin(b); n < masked.end(b); ++n) {
        const int32_t patch = views.masked.ids[static_cast<size_t>(n)];
        painter.paint_grey(out.masked, patch);
        const int64_t row = views.first.segments.begin(b) + patch;
        const auto truth =
            std::span(views.first.values).subspan(row * views.first.width, views.first.width);
        std::vector<float> completed(found.patch(n).begin(), found.patch(n).end());
        if (!is_finite(completed)) {
          out.is_finite = false;
          painter.paint_grey(out.completed, patch);
          continue;
        }
        if (objective.normalise_patches) {
          const auto [mean, deviation] = models::moments_of(truth);
          for (float& x : completed) x = static_cast<float>(x * deviation + mean);
        }
        painter.paint_numbers(out.completed, patch, completed);
      }
      out.error = found.error(masked.begin(b), masked.end(b));
      take(out);
    }
  });
}

PredictedNumbers predict_numbers(const model_file::CrossViewSession& session,
                                 const data::ViewPairs& pairs, const PredictionOptions& options) {
  PredictedNumbers out{{}, {}, session.model.sizes.numbers};
  const auto count = static_cast<size_t>(out.numbers);
  for_each_batch(session, pairs, options, [&](const models::ViewBatch& views, int64_t) {
    const std::vector<float> found = numbers_of(session.model.motion(views, {}));
    const auto append = [&](const std::vector<float>& normalised, std::vector<float>& to) {
      for (size_t i = 0; i < normalised.size(); ++i) {
        const size_t k = i % count;
        to.push_back(static_cast<float>(normalised[i] * session.numbers.deviation[k] +
                                        session.numbers.mean[k]));
      }
    };
    append(found, out.predicted);
    append(views.numbers, out.expected);
  });
  return out;
}

std::vector<double> absolute_errors(const PredictedNumbers& found) {
  std::vector<double> out(static_cast<size_t>(found.numbers));
  for (size_t i = 0; i < found.expected.size(); ++i) {
    out[i % out.size()] += std::abs(double{found.predicted[i]} - found.expected[i]);
  }
  const double pairs = static_cast<double>(found.expected.size()) / static_cast<double>(out.size());
  for (double& error : out) error /= pairs;
  return out;
}

double mean_error(const model_file::CrossViewSession& session, const data::ViewPairs& pairs,
                  const PredictionOptions& options) {
  double sum = 0;
  if (!session.model.options.is_completion()) {
    const std::vector<double> errors = absolute_errors(predict_numbers(session, pairs, options));
    for (size_t k = 0; k < errors.size(); ++k) sum += errors[k] / session.numbers.deviation[k];
    return sum / static_cast<double>(errors.size());
  }
  for_each_batch(session, pairs, options, [&](const models::ViewBatch& views, int64_t) {
    const Predicted found = predict(session.model, views);
    const Segments& masked = views.masked.segments;
    for (int64_t b = 0; b < masked.count(); ++b) sum += found.error(masked.begin(b), masked.end(b));
  });
  return sum / static_cast<double>(pairs.size());
}

}  // namespace weft::predict
