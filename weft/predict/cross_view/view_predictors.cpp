#include "weft/predict/cross_view/view_predictors.h"

#include <algorithm>
#include <cmath>

#include "weft/core/chunks.h"
#include "weft/predict/not_finite.h"

namespace weft::predict {
namespace {

constexpr double kGrey = 128;

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
      : shape_(session.model.dims.image),
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

  std::span<const float> patches(int64_t begin, int64_t end) const {
    return std::span(pixels).subspan(begin * width, (end - begin) * width);
  }
  std::span<const float> patch(int64_t n) const { return patches(n, n + 1); }
  double error(int64_t begin, int64_t end) const {
    return mean_square(patches(begin, end),
                       std::span(truth).subspan(begin * width, (end - begin) * width));
  }
};

Predicted masked_patches(const models::CrossViewModel& model, const models::ViewBatch& views) {
  return {numbers_of(model.completion(views, {})), numbers_of(model.completion_target(views)),
          views.first.width};
}

// Normalised numbers in their units.
std::vector<float> in_their_units(std::span<const float> normalised,
                                  const data::ChannelStatistics& statistics) {
  std::vector<float> out;
  for (size_t k = 0; k < normalised.size(); ++k) {
    out.push_back(static_cast<float>(normalised[k] * statistics.deviation[k] + statistics.mean[k]));
  }
  return out;
}

// Paints the pictures of pair `b` of a batch.
void paint_pair(const model_file::CrossViewSession& session, const models::ViewBatch& views,
                const Predicted& found, int64_t b, CompletedView& out) {
  const Painter painter(session);
  const auto& objective = session.model.options.objective.get<models::CompletionObjective>();
  out.first = out.masked = out.completed = painter.picture(views.first, b);
  out.second = views.second.rows() > 0 ? painter.picture(views.second, b) : painter.blank();
  const Segments& masked = views.masked.segments;
  for (int32_t n = masked.begin(b); n < masked.end(b); ++n) {
    const int32_t patch = views.masked.ids[static_cast<size_t>(n)];
    painter.paint_grey(out.masked, patch);
    std::vector<float> completed(found.patch(n).begin(), found.patch(n).end());
    if (!is_finite(completed)) {
      painter.paint_grey(out.completed, patch);
      continue;
    }
    if (objective.normalise_patches) {
      const int64_t row = views.first.segments.begin(b) + patch;
      const auto [mean, deviation] = models::moments_of(
          std::span(views.first.values).subspan(row * views.first.width, views.first.width));
      for (float& x : completed) x = static_cast<float>(x * deviation + mean);
    }
    painter.paint_numbers(out.completed, patch, completed);
  }
}

}  // namespace

std::vector<PairOfSet> pairs_of(const data::ViewPairs& pairs) {
  std::vector<PairOfSet> out;
  for (int64_t i = 0; i < pairs.size(); ++i) out.push_back({&pairs, i});
  return out;
}

Prepared<DrawnPair> PairDrawer::prepare(std::span<const PairOfSet> pairs, Report& report) const {
  const PhiloxKey key{static_cast<uint32_t>(options_.seed),
                      static_cast<uint32_t>(options_.seed >> 32)};
  Prepared<Request> out(pairs.size(), report);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const ViewParams params{.session = session_,
                            .pairs = *pairs[i].pairs,
                            .mask_ratio = options_.mask_ratio,
                            .second = options_.second};
    const DrawnExample example{.number = pairs[i].pair,
                               .index = static_cast<uint64_t>(out.first) + i};
    out.add(i, draw_pair(params, example, key));
  }
  return out;
}

std::vector<Completer::Answer> Completer::run(std::span<Request> requests) const {
  std::vector<Answer> out;
  for (const std::span<Request> pairs : chunks(requests, options_.mini_batch)) {
    const models::ViewBatch views = batch_of(session_, pairs, 0);
    const Predicted found = masked_patches(session_.model, views);
    const Segments& masked = views.masked.segments;
    for (int64_t b = 0; b < std::ssize(pairs); ++b) {
      Answer& answer = out.emplace_back();
      answer.is_finite = is_finite(found.patches(masked.begin(b), masked.end(b)));
      answer.completion.error = found.error(masked.begin(b), masked.end(b));
      if (options_.with_pictures) paint_pair(session_, views, found, b, answer.completion);
    }
  }
  return out;
}

std::vector<CompletedView> Completer::finish(const Prepared<Request>& prepared,
                                             std::span<Answer> answers, Report& report) const {
  std::vector<CompletedView> out;
  for (size_t i = 0; i < answers.size(); ++i) {
    out.push_back(std::move(answers[i].completion));
    if (!answers[i].is_finite) out.back().fault = prepared.not_finite(i, report);
  }
  return out;
}

std::vector<PredictedNumbers> MotionPredictor::run(std::span<Request> requests) const {
  std::vector<PredictedNumbers> out;
  const auto count = static_cast<size_t>(session_.model.dims.numbers);
  for (const std::span<Request> pairs : chunks(requests, options_.mini_batch)) {
    const models::ViewBatch views = batch_of(session_, pairs, 0);
    const std::vector<float> found = numbers_of(session_.model.motion(views, {}));
    size_t known = 0;  // numbers of the pairs so far that have some
    for (size_t b = 0; b < pairs.size(); ++b) {
      PredictedNumbers& numbers = out.emplace_back();
      numbers.predicted =
          in_their_units(std::span(found).subspan(b * count, count), session_.numbers);
      if (pairs[b].views.numbers.size() != count) continue;
      numbers.expected =
          in_their_units(std::span(views.numbers).subspan(known, count), session_.numbers);
      known += count;
    }
  }
  return out;
}

std::vector<PredictedNumbers> MotionPredictor::finish(const Prepared<Request>& prepared,
                                                      std::span<Answer> answers,
                                                      Report& report) const {
  for (size_t i = 0; i < answers.size(); ++i) {
    if (!is_finite(answers[i].predicted)) answers[i].fault = prepared.not_finite(i, report);
  }
  return {std::make_move_iterator(answers.begin()), std::make_move_iterator(answers.end())};
}

std::vector<double> absolute_errors(std::span<const PredictedNumbers> found) {
  std::vector<double> out(found.front().predicted.size());
  for (const PredictedNumbers& pair : found) {
    for (size_t k = 0; k < out.size(); ++k) {
      out[k] += std::abs(double{pair.predicted[k]} - pair.expected[k]);
    }
  }
  for (double& error : out) error /= static_cast<double>(found.size());
  return out;
}

double mean_error(const model_file::CrossViewSession& session, const data::ViewPairs& pairs,
                  ViewPredictorOptions options) {
  options.with_pictures = false;
  Report report;
  double sum = 0;
  if (!session.model.options.is_completion()) {
    const auto found = predict(MotionPredictor(session, options), pairs_of(pairs), report);
    const std::vector<double> errors = absolute_errors(found);
    for (size_t k = 0; k < errors.size(); ++k) sum += errors[k] / session.numbers.deviation[k];
    return sum / static_cast<double>(errors.size());
  }
  for (const CompletedView& found : predict(Completer(session, options), pairs_of(pairs), report)) {
    sum += found.error;
  }
  return sum / static_cast<double>(pairs.size());
}

}  // namespace weft::predict
