// The objects of pictures in files: N paths in, N results out, in their order.
#ifndef WEFT_TASKS_DETECTION_PICTURE_DETECTOR_H_
#define WEFT_TASKS_DETECTION_PICTURE_DETECTOR_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/decode/translate.h"
#include "weft/tasks/detection/objects.h"
#include "weft/tasks/labels/line_encoder.h"

namespace weft::tasks {

struct PictureObjects {
  std::string path;
  std::optional<std::string> fault;  // why there is no result
  Objects objects;                   // the highest score first, in pixels of the picture
};

// Of one thread at a time: it counts lines. A result does not depend on the other lines.
class PictureDetector {
 public:
  // The session has to outlive it.
  PictureDetector(const model_file::DetectorSession& session, double threshold, int64_t mini_batch)
      : session_(session), threshold_(threshold), mini_batch_(mini_batch) {}

  // Each line is the path of a picture; one that cannot be read is counted as faulty, and its
  // reason logged.
  std::vector<PictureObjects> detect(std::span<const decode::SourceLine> lines);
  const LineReport& report() const { return report_; }

 private:
  void detect_together(std::span<const decode::SourceLine> lines,
                       std::span<PictureObjects> results);

  const model_file::DetectorSession& session_;
  double threshold_;
  int64_t mini_batch_;
  LineReport report_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_DETECTION_PICTURE_DETECTOR_H_
