// The objects that a detector finds in pictures, and how good they are where the boxes are known.
#ifndef WEFT_PREDICT_DETECTION_OBJECTS_H_
#define WEFT_PREDICT_DETECTION_OBJECTS_H_

#include <optional>
#include <vector>

#include "weft/data/boxes/labelled_boxes.h"
#include "weft/metrics/average_precision.h"
#include "weft/model_file/detector.h"

namespace weft::predict {

// Of one picture, the highest score first. Boxes are shares of its width and height. Two may be one
// box with two labels, whose scores then sum to 1 at most.
using Objects = std::vector<metrics::DetectedBox>;

// Of each picture, a row [height, width, channels] of bytes, 0 to 255, at the model's size; labels
// of a probability of `threshold` or more. No other step follows: queries find each object once.
// Nothing where a score or a box is not finite.
std::vector<std::optional<Objects>> find_objects(const model_file::DetectorSession& session,
                                                 const data::Features& pictures, double threshold);

// The objects found in each picture, and those that are there, whose boxes are shares, too.
struct ComparedObjects {
  std::vector<Objects> found;
  std::vector<std::vector<metrics::ExpectedBox>> expected;
};
// Of all probabilities. Throws NumericError where a score is not finite.
ComparedObjects compare_objects(const model_file::DetectorSession& session,
                                const data::LabelledBoxes& pictures);

// Of compare_objects().
metrics::PrecisionReport evaluate_objects(const ComparedObjects& compared, int32_t labels);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_DETECTION_OBJECTS_H_
