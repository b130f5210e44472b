// What a model of two views does with a pair: which patch of one view looks where in the other.
#ifndef WEFT_INSPECT_CROSS_VIEW_H_
#define WEFT_INSPECT_CROSS_VIEW_H_

#include <string_view>

#include "weft/inspect/inspection.h"
#include "weft/inspect/options.h"
#include "weft/model_file/cross_view.h"

namespace weft::inspect {

// `line` holds the paths of two pictures separated by a tab. Axes: "visible patches" of the
// first view, "first view" and "second view". Pictures of a completion: masked and completed.
// Throws FormatError for another line, and what reading throws.
Example inspect(const model_file::CrossViewSession& session, std::string_view line,
                const InspectionOptions& options);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_CROSS_VIEW_H_
