// What a classifier does with an example: attention, labels, and what each word of a text has to do
// with them.
#ifndef WEFT_INSPECT_CLASSIFIER_H_
#define WEFT_INSPECT_CLASSIFIER_H_

#include <string_view>

#include "weft/inspect/inspection.h"
#include "weft/inspect/options.h"
#include "weft/model_file/classifier.h"

namespace weft::inspect {

// Of a text. Axes: "tokens", "words"; evidence for the most probable labels. A model of another
// input takes the path of a file (vector_classifier.h). Throws OptionError for a model of --labels
// sequence.
Example inspect(const model_file::ClassifierSession& session, std::string_view text,
                const InspectionOptions& options);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_CLASSIFIER_H_
