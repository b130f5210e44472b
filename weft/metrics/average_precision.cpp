#include "weft/metrics/average_precision.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "weft/core/error.h"

namespace weft::metrics {
namespace {

constexpr size_t kAt75 = 5;

// N numbers from `first` to `last`, rounded as numpy's linspace rounds them: a recall or an IoU may
// be equal to one.
template <size_t N>
constexpr std::array<double, N> linspace(double first, double last) {
  const double step = (last - first) / static_cast<double>(N - 1);
  std::array<double, N> out{};
  for (size_t i = 0; i < N; ++i) out[i] = static_cast<double>(i) * step + first;
  out.back() = last;
  return out;
}
constexpr auto kIous = linspace<kIouThresholds>(0.5, 0.95);
constexpr auto kRecalls = linspace<101>(0, 1);

// The free box that a detection takes, as COCO does: of the highest IoU, the last among equals.
std::optional<size_t> best_match(const data::Box& box, std::span<const data::Box> expected,
                                 const std::vector<bool>& is_taken, double threshold) {
  double highest = std::min(threshold, 1 - 1e-10);
  std::optional<size_t> best;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (is_taken[i]) continue;
    const double found = data::iou(box, expected[i]);
    if (found < highest) continue;
    highest = found;
    best = i;
  }
  return best;
}

// From the precision after each detection, in the order of scores, and the recall.
double interpolated(std::vector<double> precision, const std::vector<double>& recall) {
  for (size_t i = precision.size(); i-- > 1;) {
    precision[i - 1] = std::max(precision[i - 1], precision[i]);
  }
  double sum = 0;
  for (const double wanted : kRecalls) {
    const auto first = std::ranges::lower_bound(recall, wanted) - recall.begin();
    if (first < std::ssize(precision)) sum += precision[first];
  }
  return sum / static_cast<double>(kRecalls.size());
}

}  // namespace

double LabelPrecision::mean() const {
  return std::accumulate(average_precision.begin(), average_precision.end(), 0.0) / kIouThresholds;
}

AveragePrecision::AveragePrecision(int32_t labels, int64_t most)
    : labels_(static_cast<size_t>(labels)), most_(most) {}

void AveragePrecision::add(std::span<const ExpectedBox> expected,
                           std::span<const DetectedBox> detected) {
  std::vector<std::vector<data::Box>> boxes(labels_.size());
  std::vector<std::vector<DetectedBox>> found(labels_.size());
  for (const ExpectedBox& box : expected) boxes.at(box.label).push_back(box.box);
  for (const DetectedBox& box : detected) found.at(box.label).push_back(box);
  for (size_t label = 0; label < labels_.size(); ++label) {
    std::vector<DetectedBox>& of_label = found[label];
    std::ranges::stable_sort(of_label, std::greater(), &DetectedBox::score);
    if (std::ssize(of_label) > most_) of_label.resize(static_cast<size_t>(most_));
    labels_[label].expected += std::ssize(boxes[label]);
    const size_t first = labels_[label].detected.size();
    for (const DetectedBox& box : of_label) labels_[label].detected.push_back({box.score, {}});
    for (size_t t = 0; t < kIouThresholds; ++t) {
      std::vector<bool> is_taken(boxes[label].size());
      for (size_t i = 0; i < of_label.size(); ++i) {
        const auto match = best_match(of_label[i].box, boxes[label], is_taken, kIous[t]);
        if (!match) continue;
        is_taken[*match] = true;
        labels_[label].detected[first + i].is_match[t] = true;
      }
    }
  }
}

AveragePrecision& AveragePrecision::operator+=(const AveragePrecision& other) {
  for (size_t label = 0; label < labels_.size(); ++label) {
    const OfLabel& added = other.labels_.at(label);
    OfLabel& here = labels_[label];
    here.expected += added.expected;
    here.detected.insert(here.detected.end(), added.detected.begin(), added.detected.end());
  }
  return *this;
}

LabelPrecision AveragePrecision::precision_of(const OfLabel& counted) {
  LabelPrecision out{.expected = counted.expected, .detected = std::ssize(counted.detected)};
  if (counted.expected == 0) return out;
  std::vector<Scored> detected = counted.detected;
  std::ranges::stable_sort(detected, std::greater(), &Scored::score);
  for (size_t t = 0; t < kIouThresholds; ++t) {
    std::vector<double> precision, recall;
    int64_t matches = 0;
    for (const Scored& one : detected) {
      matches += one.is_match[t] ? 1 : 0;
      precision.push_back(static_cast<double>(matches) /
                          static_cast<double>(std::ssize(precision) + 1));
      recall.push_back(static_cast<double>(matches) / static_cast<double>(counted.expected));
    }
    out.average_precision[t] = interpolated(precision, recall);
    if (t == 0 && !recall.empty()) out.recall = recall.back();
  }
  return out;
}

PrecisionReport AveragePrecision::report() const {
  PrecisionReport out;
  int64_t with_boxes = 0;
  for (const OfLabel& counted : labels_) {
    const LabelPrecision& label = out.labels.emplace_back(precision_of(counted));
    if (label.expected == 0) continue;
    ++with_boxes;
    out.at_50 += label.at_50();
    out.at_75 += label.average_precision[kAt75];
    out.mean += label.mean();
  }
  if (with_boxes == 0) return out;
  for (double* mean : {&out.at_50, &out.at_75, &out.mean}) *mean /= static_cast<double>(with_boxes);
  return out;
}

std::string PrecisionReport::text(std::span<const std::string> names) const {
  size_t width = 5;
  for (const std::string& name : names) width = std::max(width, name.size());
  std::string out = fmt::format("{:<{}}{:>9}{:>9}{:>9}{:>9}{:>9}\n", "label", width, "AP", "AP50",
                                "AP75", "recall", "boxes");
  int64_t boxes = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    const LabelPrecision& label = labels[i];
    boxes += label.expected;
    if (label.expected == 0) continue;
    out +=
        fmt::format("{:<{}}{:>9.4f}{:>9.4f}{:>9.4f}{:>9.4f}{:>9}\n", names[i], width, label.mean(),
                    label.at_50(), label.average_precision[kAt75], label.recall, label.expected);
  }
  return out + fmt::format("{:<{}}{:>9.4f}{:>9.4f}{:>9.4f}{:>9}{:>9}\n", "mean", width, mean, at_50,
                           at_75, "", boxes);
}

}  // namespace weft::metrics
