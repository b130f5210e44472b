// How good texts are beside references, and models on examples whose answers are known.
#ifndef WEFT_EVALUATE_H_
#define WEFT_EVALUATE_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/export.h"
#include "weft/model.h"
#include "weft/options.h"

namespace weft {

struct TextMetric {
  std::string name;  // "BLEU"
  double score = 0;
  std::string signature;  // sacreBLEU's, of BLEU and chrF; else empty
  std::string text;       // "BLEU = 35.12 ..."
};

// Scores all hypotheses together by each metric; references[r] has one text for each of them.
// Options, as of `weft evaluate`: `metrics` (bleu and chrf, exact-match, word-error-rate,
// character-error-rate, rouge1, rouge2, rougeL, and aer of word alignments), `tokenize`,
// `lowercase`, `chrf-word-order`, `undo-bpe`.
//
// Throws OptionError, and FormatError for no text and for another number of references.
WEFT_API std::vector<TextMetric> evaluate(std::span<const std::string> hypotheses,
                                          std::span<const std::vector<std::string>> references,
                                          const Options& options = {});
WEFT_API const OptionSchema& text_metric_schema();

struct ModelEvaluation {
  std::string text;  // as the command with --evaluate prints it
  std::string json;  // the same numbers as an object
};

// Receives what is predicted for an example beside what is expected: an object of JSON on one line.
using OnPrediction = std::function<void(std::string_view)>;

// How good a classifier, tagger, detector, transcriber or model of two views is on the examples in
// files, as training reads them; several classifiers or taggers work together. Options: those of
// the class that predicts (Classifier, Tagger, ...), and those of evaluation_schema(). Throws
// OptionError for other models, FileError, FormatError, and NumericError where what a model
// computes is not finite.
WEFT_API ModelEvaluation evaluate_model(const std::vector<Model>& models,
                                        const std::vector<std::string>& files,
                                        const Options& options = {},
                                        const OnPrediction& on_prediction = {});
// What evaluate_model() takes for models of a kind, besides the options of the class that predicts
// and, of models of two views, those of ViewPairReader.
// Throws OptionError for a kind that it does not take.
WEFT_API const OptionSchema& evaluation_schema(std::string_view kind);

}  // namespace weft

#endif  // WEFT_EVALUATE_H_
