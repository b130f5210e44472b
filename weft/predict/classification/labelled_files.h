// What classifiers give for examples whose labels are known.
#ifndef WEFT_PREDICT_CLASSIFICATION_LABELLED_FILES_H_
#define WEFT_PREDICT_CLASSIFICATION_LABELLED_FILES_H_

#include <span>
#include <string>
#include <vector>

#include "weft/data/bad_files.h"
#include "weft/data/labels/labelled_fields.h"
#include "weft/predict/classification/label_scores.h"

namespace weft::model_file {
struct ClassifierSession;
}

namespace weft::predict {

// The files, and how they are read.
struct LabelledFiles {
  const std::vector<std::string>& files;
  data::LabelledFields fields;
  data::BadFiles bad_files = data::BadFiles::kRefuse;
  int64_t max_length = 0;  // tokens of a text, as predict::TextBatchOptions has it
};

// Probabilities of all examples in the files, averaged over the models. Throws NumericError for
// scores that are not finite.
LabelScores labelled_probabilities(std::span<const model_file::ClassifierSession> sessions,
                                   const LabelledFiles& in, ExpectedLabels& expected);
// The same of models of --labels numbers: those predicted and those expected.
LabelScores labelled_numbers(std::span<const model_file::ClassifierSession> sessions,
                             const LabelledFiles& in, std::vector<float>& expected);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_CLASSIFICATION_LABELLED_FILES_H_
