// Detectors as files, with their labels and the statistics of the pictures' channels.
#ifndef WEFT_MODEL_FILE_DETECTOR_H_
#define WEFT_MODEL_FILE_DETECTOR_H_

#include <string_view>

#include "weft/data/images/pixels.h"
#include "weft/data/labels/label_set.h"
#include "weft/model_file/session.h"
#include "weft/models/detector.h"

namespace weft::model_file {

struct DetectorSession {
  static constexpr std::string_view kKind = "detector";

  models::Detector model;
  Tensor parameters;  // [P], flat, in visiting order; empty where packed
  data::LabelSet labels;
  data::ChannelStatistics statistics = {};  // of pictures, as numbers from 0 to 1

  static DetectorSession open(ContentsReader& file);
  Contents contents() const;
  // How pictures become the model's input.
  data::PatchParams patches() const {
    return {.shape = model.dims.image,
            .patch = model.options.image.vector_side(),
            .statistics = statistics};
  }
};

// What the training data fixes of a detector.
struct DetectorAssets {
  data::LabelSet labels;
  data::ImageShape image = {};
  data::ChannelStatistics statistics = {};
};
// Throws OptionError if the options contradict each other, or the size of pictures.
DetectorSession new_detector(const models::DetectorOptions& options, DetectorAssets assets,
                             uint64_t seed);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_DETECTOR_H_
