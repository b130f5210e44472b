// The options of classifiers, and the checks that none contradict each other.
#ifndef WEFT_MODELS_CLASSIFIER_OPTIONS_H_
#define WEFT_MODELS_CLASSIFIER_OPTIONS_H_

#include "weft/data/images/image_shape.h"
#include "weft/models/decoder_options.h"
#include "weft/models/encoders/text_encoder_options.h"
#include "weft/models/encoders/vector_encoder.h"
#include "weft/nn/dense.h"
#include "weft/nn/pooling.h"

namespace weft::models {

// How many labels an example has.
struct OneLabel {
  static constexpr std::string_view kName = "one";
  static constexpr std::string_view kHelp = "probabilities by softmax";
};
struct AnyNumberOfLabels {
  bool at_least_one = false;

  template <class V>
  void fields(V& v) {
    v("at-least-one", at_least_one,
      {.help = "a text gets one label at least: the most probable one where none reaches the "
               "threshold"});
  }
};
struct SeveralLabels : AnyNumberOfLabels {
  static constexpr std::string_view kName = "several";
  static constexpr std::string_view kHelp =
      "any number, a decision for each: probabilities by sigmoid, and a threshold";
};
struct LabelSequence : AnyNumberOfLabels, DecoderLayers {
  static constexpr std::string_view kName = "sequence";
  static constexpr std::string_view kHelp =
      "any number, one after another, by a decoder that reads those before (Yang et al. 2018)";

  LabelSequence() { dec_depth = 1; }
  template <class V>
  void fields(V& v) {
    AnyNumberOfLabels::fields(v);
    DecoderLayers::fields(v);
  }
};
struct NumberLabels {
  static constexpr std::string_view kName = "numbers";
  static constexpr std::string_view kHelp =
      "a number, or as many for each example: regression, not classification";
};
using LabelKinds = options::OneOf<OneLabel, SeveralLabels, LabelSequence, NumberLabels>;

// From the pixels of a patch to a vector.
struct LinearPatches {
  static constexpr std::string_view kName = "linear";
  static constexpr std::string_view kHelp = "a projection of its pixels";
};
struct ConvolutionalPatches {
  static constexpr std::string_view kName = "convolutions";
  static constexpr std::string_view kHelp =
      "3 by 3 convolutions of stride 2, which learn faster (Xiao et al. 2021, arXiv 2106.14881)";
};

// What is classified.
struct TextInput {
  static constexpr std::string_view kName = "text";
  double word_dropout = 0;
  TextEmbeddingOptions embedding = {};

  template <class V>
  void fields(V& v) {
    word_dropout_field(v, word_dropout);
    embedding.fields(v);
  }
};
struct ImageInput {
  static constexpr std::string_view kName = "image";
  static constexpr std::string_view kHelp =
      "pictures, as their patches (Dosovitskiy et al. 2021, arXiv 2010.11929); --train-sets may "
      "also be a folder with a folder for each label, or two IDX files, pictures and labels";
  std::vector<int64_t> image_size = {};
  int64_t patch_size = 0;  // of a model, 1 or more
  options::OneOf<LinearPatches, ConvolutionalPatches> patch_embedding = {};

  // Throws OptionError for patches that convolutions cannot make.
  void check(int64_t features) const {
    if (has_stem() && patch_size > 0) nn::ConvolutionStem::check(patch_size, features);
  }
  bool has_stem() const { return patch_embedding.is<ConvolutionalPatches>(); }
  // The side of the squares that the network reads as vectors.
  int64_t vector_side() const { return has_stem() ? nn::ConvolutionStem::kSquare : patch_size; }

  template <class V>
  void fields(V& v) {
    v("image-size", image_size,
      {.help = "height and width, or one number for both, that pictures are resized to; by default "
               "those of the first picture of training",
       .min = 1,
       .max = 4096});
    v("patch-size", patch_size,
      {.help =
           "height and width of a patch, divisors of those of the picture; 0: the smallest of 4 to "
           "32 that leaves at most 200 patches, or 400 of a picture with boxes",
       .min = 0,
       .max = 1024});
    options::choice(v, "patch-embedding", patch_embedding,
                    {.help = "from the pixels of a patch to a vector"});
  }
};
struct FeatureInput {
  static constexpr std::string_view kName = "features";
  static constexpr std::string_view kHelp =
      "sequences of vectors, such as time series; --train-sets may also be sktime's .ts files";
  std::string missing = "refuse";

  template <class V>
  void fields(V& v) {
    v("missing", missing,
      {.help = "what becomes of missing numbers: an error, the mean of their channel, or its last "
               "number before them",
       .choices = "refuse|mean|last"});
  }
};
using InputKinds = options::OneOf<TextInput, ImageInput, FeatureInput>;

struct ClassifierOptions {
  LabelKinds labels = {};
  InputKinds input = {};
  EncoderOptions encoder = {};
  nn::PoolingKinds pooling = {};
  nn::HeadOptions head = {};
  double classifier_dropout = 0.1;

  bool has_one_label() const { return labels.is<OneLabel>(); }
  bool is_sequence() const { return labels.is<LabelSequence>(); }
  bool has_numbers() const { return labels.is<NumberLabels>(); }
  bool is_text() const { return input.is<TextInput>(); }
  bool pools_first() const { return !is_sequence() && pooling.is<nn::FirstRowPoolingOptions>(); }
  // The begin symbol stands before the text, or a learned vector before other rows.
  bool with_begin() const {
    return pools_first() || (is_text() && input.get<TextInput>().embedding.begin_symbol);
  }
  TextEncoderOptions text_encoder() const {
    const auto& text = input.get<TextInput>();
    return {encoder, text.word_dropout, text.embedding};
  }
  // The most rows of an example that the encoder's learned tables have rows for.
  int64_t table_capacity() const {
    return is_text() ? text_encoder().table_capacity() : encoder.table_capacity();
  }

  template <class V>
  void fields(V& v) {
    options::group(v, "Classifier");
    options::choice(v, "input", input, {.help = "what is classified"});
    options::choice(v, "labels", labels, {.help = "how many labels an example has"});
    options::belongs_to<OneLabel, SeveralLabels, NumberLabels>(
        v, "labels", &labels.selection(), [&] {
          options::choice(
              v, "pooling", pooling,
              {.help = "from the encoder's states to one vector of an example; first is not for "
                       "pictures with --type cnn"});
          head.fields(v);
          v("classifier-dropout", classifier_dropout,
            {.help = "dropout of what the output layer reads", .min = 0, .max = 0.99});
        });
    encoder.fields(v);
  }

  // Throws OptionError for options that contradict each other, with the reason.
  void check() const;
};

// What the data fixes of a model: the labels, and the vocabulary, the size of pictures or the
// number of channels.
struct ClassifierDims {
  TextEncoderDims text = {};
  data::ImageShape image = {};
  int64_t channels = 0;
  int64_t labels = 0;

  template <class V>
  void fields(V& v, const InputKinds& input) {
    options::belongs_to<TextInput>(v, "input", &input.selection(), [&] { text.fields(v); });
    options::belongs_to<ImageInput>(v, "input", &input.selection(), [&] { image.fields(v); });
    options::belongs_to<FeatureInput>(v, "input", &input.selection(), [&] {
      v("channel-count", channels, {.help = "numbers of a vector", .min = 0, .max = 65536});
    });
    v("label-count", labels, {.help = "labels, or numbers of an example", .min = 1});
  }
  // Of the vectors that the encoder reads where the input is no text.
  VectorEncoderDims vectors(const ClassifierOptions& options) const;
  // Throws OptionError for an id that is not in the vocabulary, for a picture that patches do not
  // divide, for more of them than the encoder's tables have rows for, and for no channels.
  void check(const ClassifierOptions& options) const;
};

}  // namespace weft::models

#endif  // WEFT_MODELS_CLASSIFIER_OPTIONS_H_
