// The options of detectors, and the checks that none contradict each other.
#ifndef WEFT_MODELS_DETECTOR_OPTIONS_H_
#define WEFT_MODELS_DETECTOR_OPTIONS_H_

#include "weft/data/images/image_shape.h"
#include "weft/models/classifier_options.h"
#include "weft/models/decoder_options.h"
#include "weft/models/encoders/encoder.h"

namespace weft::models {

// What the decoder starts from.
struct LearnedQueries {
  static constexpr std::string_view kName = "learned";
  static constexpr std::string_view kHelp =
      "vectors that are the same for every picture (DETR, Carion et al. 2020, arXiv 2005.12872)";
};
struct EncoderQueries {
  static constexpr std::string_view kName = "encoder";
  static constexpr std::string_view kHelp =
      "the encoder's states of the patches that look most like an object, each with a first box "
      "that the decoder refines (two-stage Deformable DETR, Zhu et al. 2021, arXiv 2010.04159)";
};
using QueryKinds = options::OneOf<EncoderQueries, LearnedQueries>;

struct DetectorOptions : LayerOptions, DecoderLayers {
  ImageInput image = {};
  QueryKinds queries = {};
  int64_t query_count = 30;
  int64_t enc_depth = 4;

  DetectorOptions();
  EncoderOptions encoder() const;
  template <class V>
  void fields(V& v) {
    options::group(v, "Detector");
    image.fields(v);
    options::choice(v, "queries", queries, {.help = "what the decoder starts from"});
    v("query-count", query_count,
      {.help = "queries of a picture: it finds at most as many objects", .min = 1, .max = 10000});
    EncoderLayers::depth_field(v, enc_depth);
    DecoderLayers::fields(v);
    width_field(v);
    transformer.fields(v);
    position.fields(v);
  }

  // Throws OptionError for options that contradict each other, with the reason.
  void check() const;
};

// What the data fixes of a model: the size of pictures, and the number of labels.
struct DetectorDims {
  data::ImageShape image = {};
  int64_t labels = 0;

  template <class V>
  void fields(V& v) {
    image.fields(v);
    v("label-count", labels, {.help = "labels", .min = 1});
  }
  // Throws OptionError as check_patches() does.
  void check(const DetectorOptions& options) const;
};

}  // namespace weft::models

#endif  // WEFT_MODELS_DETECTOR_OPTIONS_H_
