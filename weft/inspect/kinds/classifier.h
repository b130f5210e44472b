// What a classifier does with an example: attention, labels, and the attributions of a text's
// words.
#ifndef WEFT_INSPECT_KINDS_CLASSIFIER_H_
#define WEFT_INSPECT_KINDS_CLASSIFIER_H_

#include <string_view>
#include <vector>

#include "weft/inspect/inspection.h"
#include "weft/inspect/options.h"
#include "weft/inspect/positions.h"
#include "weft/model_file/classifier.h"

namespace weft::inspect {

// `text` is the text, or a file path for a model of pictures or vectors (vector_classifier.h). Axes
// of a text: "tokens", "words"; attributions for its most probable labels. Throws OptionError for a
// model of --labels sequence, NumericError for scores that are not finite.
Example inspect(const model_file::ClassifierSession& session, std::string_view text,
                const InspectionOptions& options);

std::vector<PositionMaps> positions_of(const model_file::ClassifierSession& session);
// Throws OptionError for an option that is not at its default and that such a model does not read.
void check_options(const model_file::ClassifierSession& session, const InspectionOptions& options);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_KINDS_CLASSIFIER_H_
