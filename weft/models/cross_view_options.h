// The options of models of two views of a scene, and the checks that none contradict each other.
#ifndef WEFT_MODELS_CROSS_VIEW_OPTIONS_H_
#define WEFT_MODELS_CROSS_VIEW_OPTIONS_H_

#include "weft/data/images/image_shape.h"
#include "weft/models/decoder_options.h"
#include "weft/models/encoders/encoder.h"

namespace weft::models {

// What is predicted.
struct CompletionObjective {
  static constexpr std::string_view kName = "completion";
  static constexpr std::string_view kHelp =
      "the masked patches of the first view (CroCo, Weinzaepfel et al. 2022, arXiv 2210.10716)";
  double mask_ratio = 0.9;
  bool normalise_patches = false;

  template <class V>
  void fields(V& v) {
    v("mask-ratio", mask_ratio,
      {.help = "share of the first view's patches that are masked; one patch at least is, and one "
               "is not",
       .min = 0,
       .max = 1});
    v("normalise-patches", normalise_patches,
      {.help = "predict the pixels of a patch with its mean taken off and divided by its deviation "
               "(He et al. 2022, arXiv 2111.06377)"});
  }
};
struct MotionObjective {
  static constexpr std::string_view kName = "motion";
  static constexpr std::string_view kHelp =
      "the numbers of a pair, such as the motion from the first view to the second";
};

// Which decoder reads the two views.
struct OneStreamDecoder {
  static constexpr std::string_view kName = "one-stream";
  static constexpr std::string_view kHelp =
      "the first view attends to the second view's encoder (CroCo)";
};
struct TwoStreamDecoder {
  static constexpr std::string_view kName = "two-stream";
  static constexpr std::string_view kHelp =
      "a decoder for each view, whose blocks attend to the other's (DUSt3R, Wang et al. 2024, "
      "arXiv 2312.14132)";
};

struct CrossViewOptions : DecoderLayers {
  options::OneOf<CompletionObjective, MotionObjective> objective = {};
  options::OneOf<OneStreamDecoder, TwoStreamDecoder> decoder = {};
  std::string second_view = "given";
  std::vector<int64_t> image_size = {};
  int64_t patch_size = 0;       // of a model, 1 or more
  EncoderOptions encoder = {};  // a Transformer
  int64_t dim_dec = 0;
  bool memory_norm = true;

  CrossViewOptions();

  bool is_completion() const { return objective.is<CompletionObjective>(); }
  bool has_second_view() const { return second_view == "given"; }
  bool has_two_streams() const { return decoder.is<TwoStreamDecoder>(); }
  int64_t decoder_width() const { return dim_dec == 0 ? encoder.dim_emb : dim_dec; }
  LayerOptions decoder_layers() const {
    LayerOptions out = encoder;
    out.dim_emb = decoder_width();
    return out;
  }

  template <class V>
  void fields(V& v) {
    options::group(v, "Cross-view model");
    options::choice(v, "objective", objective, {.help = "what is predicted of a pair of views"});
    options::choice(v, "decoder", decoder,
                    {.help = "what reads the encoder's states of both views"});
    v("second-view", second_view,
      {.help =
           "none: the model sees the first view alone, as a masked autoencoder (He et al. 2022)",
       .choices = "given|none"});
    v("image-size", image_size,
      {.help = "height and width, or one number for both, that views have; required with --views "
               "crops, by default those of the first picture of training with --views pairs",
       .min = 1,
       .max = 4096});
    v("patch-size", patch_size,
      {.help = "height and width of a patch, divisors of those of the views; 0: the smallest of 4 "
               "to 32 "
               "that leaves at most 200 patches",
       .min = 0,
       .max = 1024});
    DecoderLayers::fields(v);
    v("dim-dec", dim_dec,
      {.help = "size of the decoder's layers; 0: --dim-emb", .min = 0, .max = 65536});
    v("memory-norm", memory_norm,
      {.help = "each decoder block normalises what it attends to in the other view"});
    encoder.fields(v);
  }

  // Throws OptionError for options that contradict each other, with the reason.
  void check() const;
};

// What the data fixes of a model.
struct CrossViewDims {
  data::ImageShape image = {};  // of each view
  int64_t numbers = 0;          // of a pair, that --objective motion predicts

  template <class V>
  void fields(V& v) {
    image.fields(v);
    v("number-count", numbers, {.help = "numbers of a pair", .min = 0, .max = 65536});
  }
  // Throws OptionError for views that patches do not divide or have fewer than two of, and for
  // pairs without numbers where they are predicted.
  void check(const CrossViewOptions& options) const;
};

}  // namespace weft::models

#endif  // WEFT_MODELS_CROSS_VIEW_OPTIONS_H_
