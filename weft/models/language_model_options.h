// The options of language models.
#ifndef WEFT_MODELS_LANGUAGE_MODEL_OPTIONS_H_
#define WEFT_MODELS_LANGUAGE_MODEL_OPTIONS_H_

#include <optional>
#include <vector>

#include "weft/models/decoder_options.h"
#include "weft/models/parts.h"

namespace weft::models {

// Layers as in Llama: pre-norm by root mean squares, rotary positions, gated networks.
LayerOptions language_model_layers();

struct LanguageModelOptions {
  LayerOptions layers = language_model_layers();
  DecoderOptions decoder = {{6}, false, true};
  std::optional<double> embedding_scale = 1;  // none: sqrt(D)

  // The tokens of a text that it is made for.
  int64_t context() const { return layers.position.max_positions; }
  // The most that it reads: the context, or any number where every layer attends to a window and
  // positions act in attention alone.
  int64_t capacity() const;

  template <class V>
  void fields(V& v) {
    options::group(v, "Model");
    layers.width_field(v);
    decoder.fields(v);
    v("embedding-scale", embedding_scale,
      {.help = "factor on embeddings; auto: sqrt(dim-emb)", .min = 1e-6, .max = 1e6});
    layers.transformer.fields(v);
    layers.position.fields(v);
  }

  // Throws OptionError for options that contradict each other, with the reason.
  void check() const;
};

// What the vocabulary fixes of a language model.
struct LanguageModelDims {
  int64_t vocab = 0;     // V
  int64_t begin_id = 0;  // what a text without a prompt begins with
  std::vector<int64_t> end_ids = {};

  template <class V>
  void fields(V& v) {
    v("vocab-size", vocab, {.help = "vocabulary", .min = 1});
    v("begin-id", begin_id, {.help = "of the begin symbol", .min = 0});
    v("end-ids", end_ids, {.help = "of the symbols that end a text", .min = 0});
  }
  // Throws OptionError for an id that is not in the vocabulary, and without an end symbol.
  void check() const;
};

}  // namespace weft::models

#endif  // WEFT_MODELS_LANGUAGE_MODEL_OPTIONS_H_
