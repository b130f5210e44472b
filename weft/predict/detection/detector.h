// The objects of pictures, or of files of pictures.
#ifndef WEFT_PREDICT_DETECTION_DETECTOR_H_
#define WEFT_PREDICT_DETECTION_DETECTOR_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weft/data/images/image.h"
#include "weft/metrics/average_precision.h"
#include "weft/predict/batch_options.h"
#include "weft/predict/predictor.h"

namespace weft::model_file {
struct DetectorSession;
}

namespace weft::predict {

struct DetectorOptions {
  double threshold = 0.5;
  BatchOptions batches = {};

  template <class V>
  void fields(V& v) {
    v("threshold", threshold,
      {.help = "lowest probability of a label that is an object's", .min = 0, .max = 1});
    batches.fields(v);
  }
};

struct PictureObjects {
  std::vector<metrics::DetectedBox> objects;  // the highest score first, in pixels of the picture
  std::optional<Fault> fault;                 // why there are none
};

class Detector {
 public:
  // What of a picture the results depend on.
  struct Request {
    std::vector<uint8_t> pixels;  // at the model's size
    double width = 0, height = 0;
  };
  // Nothing where a score or a box is not finite.
  using Answer = std::optional<std::vector<metrics::DetectedBox>>;
  using Result = PictureObjects;

  // The session has to outlive it. Labels of a probability of the threshold or more are found.
  Detector(const model_file::DetectorSession& session, const DetectorOptions& options)
      : session_(session), threshold_(options.threshold), mini_batch_(options.batches.mini_batch) {}

  // Each line is the path of a picture; one that cannot be read is a fault, and its reason logged.
  Prepared<Request> prepare(std::span<const Line> lines, Report& report) const;
  Prepared<Request> prepare(std::span<const data::Image> pictures, Report& report) const;
  std::vector<Answer> run(std::span<Request> requests) const;
  std::vector<Result> finish(const Prepared<Request>& prepared, std::span<Answer> answers,
                             Report& report) const;
  int64_t most_prepared() const { return mini_batch_; }

 private:
  Request read(const data::Image& picture) const;

  const model_file::DetectorSession& session_;
  double threshold_;
  int64_t mini_batch_;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_DETECTION_DETECTOR_H_
