// The objects of pictures: N pictures or their paths in, N results out, in their order.
#ifndef WEFT_PREDICT_DETECTION_DETECTOR_H_
#define WEFT_PREDICT_DETECTION_DETECTOR_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/data/images/image.h"
#include "weft/predict/detection/objects.h"
#include "weft/predict/line.h"
#include "weft/predict/line_encoder.h"

namespace weft::predict {

struct PictureObjects {
  std::string path;                  // empty of a picture that is given itself
  std::optional<std::string> fault;  // why there is no result
  Objects objects;                   // the highest score first, in pixels of the picture
};

// Of one thread at a time: it counts lines. A result does not depend on the other lines.
class Detector {
 public:
  // The session has to outlive it.
  Detector(const model_file::DetectorSession& session, double threshold, int64_t mini_batch)
      : session_(session), threshold_(threshold), mini_batch_(mini_batch) {}

  // Each line is the path of a picture; one that cannot be read is counted as faulty, and its
  // reason logged.
  std::vector<PictureObjects> detect(std::span<const Line> lines);
  std::vector<PictureObjects> detect(std::span<const data::Image> pictures);
  const LineReport& report() const { return report_; }

 private:
  // What of a picture the results depend on.
  struct SizedPixels {
    std::vector<uint8_t> pixels;  // at the model's size
    double width = 0, height = 0;
  };
  SizedPixels sized(const data::Image& picture) const;
  // Of the last lines that the report counts, those whose result has no fault.
  void find(std::span<const SizedPixels> pictures, std::span<PictureObjects> results);

  const model_file::DetectorSession& session_;
  double threshold_;
  int64_t mini_batch_;
  LineReport report_;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_DETECTION_DETECTOR_H_
