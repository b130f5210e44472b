// Metrics of texts against references, and of models on examples whose answers are known.
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

// Receives the prediction and the expected answer for one example, as a JSON object on one line.
using OnPrediction = std::function<void(std::string_view)>;

// Evaluates a classifier, tagger, detector, transcriber or model of two views on the examples in
// `files`, which are read as in training. Several classifiers or taggers predict together. Options:
// those of the predicting class (Classifier, Tagger, ...) and those of evaluation_schema(). Throws
// OptionError for other models, FileError, FormatError, and NumericError if a model computes a
// number that is not finite.
WEFT_API ModelEvaluation evaluate_model(const std::vector<Model>& models,
                                        const std::vector<std::string>& files,
                                        const Options& options = {},
                                        const OnPrediction& on_prediction = {});
// The options of evaluate_model() for models of `kind`, without those of the predicting class and,
// for models of two views, without those of ViewPairReader. Throws OptionError for a kind that
// evaluate_model() does not support.
WEFT_API const OptionSchema& evaluation_schema(std::string_view kind);

}  // namespace weft

#endif  // WEFT_EVALUATE_H_
