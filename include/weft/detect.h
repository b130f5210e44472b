// Objects in pictures.
#ifndef WEFT_DETECT_H_
#define WEFT_DETECT_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/export.h"
#include "weft/line.h"
#include "weft/model.h"
#include "weft/options.h"
#include "weft/picture.h"
#include "weft/report.h"

namespace weft {

struct DetectedObject {
  std::string label;
  double score = 0;     // probability
  double x = 0, y = 0;  // of the left upper corner, in pixels of the picture
  double width = 0, height = 0;
};
struct Detection {
  std::vector<DetectedObject> objects = {};  // the highest score first
  std::optional<Fault> fault = {};           // why there are none
};

// Options: `threshold`, `mini-batch`, as of `weft detect`.
class WEFT_API Detector {
 public:
  // Throws OptionError for a model of another kind.
  explicit Detector(const Model& model, const Options& options = {});
  static const OptionSchema& schema();

  // One result for each picture, in order; a picture is the path of a file.
  std::vector<Detection> detect(std::span<const std::string> paths, Report* report = nullptr) const;
  std::vector<Detection> detect(std::span<const Line> lines, Report* report = nullptr) const;
  // Throws ShapeError for a picture whose pixels do not have its shape.
  std::vector<Detection> detect(std::span<const Picture> pictures, Report* report = nullptr) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace weft

#endif  // WEFT_DETECT_H_
