// Average precision of detected boxes, equal to pycocotools' for boxes of any size (COCO, Lin et
// al. 2014, arXiv 1405.0312).
#ifndef WEFT_METRICS_AVERAGE_PRECISION_H_
#define WEFT_METRICS_AVERAGE_PRECISION_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/data/boxes/box.h"

namespace weft::metrics {

// The IoU from which a detection matches a box: 0.5, 0.55, ..., 0.95.
inline constexpr size_t kIouThresholds = 10;

struct ExpectedBox {
  int32_t label = 0;
  data::Box box;
};

struct DetectedBox {
  int32_t label = 0;
  double score = 0;
  data::Box box;
};

// Of a label: the mean over 101 recalls, 0, 0.01, ..., 1, of the highest precision at that recall
// or a higher one.
struct LabelPrecision {
  int64_t expected = 0, detected = 0;  // boxes
  std::array<double, kIouThresholds> average_precision{};
  double recall = 0;  // at IoU 0.5, of all detections
  double at_50() const { return average_precision.front(); }
  double mean() const;  // over thresholds
};

struct PrecisionReport {
  std::vector<LabelPrecision> labels;
  // The mean over labels that have a box, 0 where none has: at IoU 0.5 and 0.75, and over all
  // thresholds ("mAP").
  double at_50 = 0, at_75 = 0, mean = 0;

  // A line for each label, then their mean, with columns AP, AP50, AP75, recall and boxes.
  std::string text(std::span<const std::string> names) const;
};

// Accumulates pictures. In each, and for each label, at most `most` detections count, those of the
// highest scores (equals in their order); one after another they take the free box of the highest
// IoU.
class AveragePrecision {
 public:
  explicit AveragePrecision(int32_t labels, int64_t most = 100);

  void add(std::span<const ExpectedBox> expected, std::span<const DetectedBox> detected);
  // Adds the pictures of another, of as many labels, after those that are here.
  AveragePrecision& operator+=(const AveragePrecision& other);
  PrecisionReport report() const;

 private:
  // A detection, and at which thresholds it matched a box.
  struct Scored {
    double score;
    std::array<bool, kIouThresholds> is_match;
  };
  struct OfLabel {
    int64_t expected = 0;
    std::vector<Scored> detected;  // picture after picture
  };
  static LabelPrecision precision_of(const OfLabel& counted);

  std::vector<OfLabel> labels_;
  int64_t most_;
};

}  // namespace weft::metrics

#endif  // WEFT_METRICS_AVERAGE_PRECISION_H_
