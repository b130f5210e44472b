// What a classifier does with a text: attention, labels, and what each word has to do with them.
#ifndef WEFT_INSPECT_CLASSIFIER_H_
#define WEFT_INSPECT_CLASSIFIER_H_

#include <string_view>

#include "weft/inspect/inspection.h"
#include "weft/inspect/options.h"
#include "weft/model_file/classifier.h"

namespace weft::inspect {

// Axes: "tokens", "words". Evidence for the most probable labels. Throws OptionError for a model of
// --labels sequence or of another input than text.
Example inspect(const model_file::ClassifierSession& session, std::string_view text,
                const InspectionOptions& options);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_CLASSIFIER_H_
