// The options of classes that predict, which evaluations of their models take, too.
#ifndef WEFT_API_PREDICTOR_OPTIONS_H_
#define WEFT_API_PREDICTOR_OPTIONS_H_

#include "weft/predict/classification/classifier.h"
#include "weft/predict/tagging/tagger.h"
#include "weft/predict/transcription/transcriber.h"

namespace weft::api {

struct ClassifierOptions {
  predict::LabelThreshold threshold;
  predict::TextBatchOptions lines;

  template <class V>
  void fields(V& v) {
    threshold.fields(v);
    lines.fields(v);
  }
};

struct TaggerOptions {
  bool scores = false;
  predict::TaggerOptions tagging;

  template <class V>
  void fields(V& v) {
    v("scores", scores,
      {.help = "also the probability of each label; with a CRF its marginal probability"});
    tagging.fields(v);
  }
};

struct TranscriberOptions {
  predict::TranscriberOptions search;
  bool words = true;

  template <class V>
  void fields(V& v) {
    search.fields(v);
    v("words", words, {.help = "say which words are spoken when"});
  }
};

}  // namespace weft::api

#endif  // WEFT_API_PREDICTOR_OPTIONS_H_
