// What a model of two views does with a pair: which patch of one view looks where in the other.
#ifndef WEFT_INSPECT_KINDS_CROSS_VIEW_H_
#define WEFT_INSPECT_KINDS_CROSS_VIEW_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/inspect/inspection.h"
#include "weft/inspect/options.h"
#include "weft/inspect/positions.h"
#include "weft/model_file/cross_view.h"

namespace weft::inspect {

// `line` holds the paths of two pictures separated by a tab. Axes: "visible patches" of the
// first view, "first view" and "second view". Pictures of a completion: masked and completed.
// Throws FormatError for another line, and what reading throws.
Example inspect(const model_file::CrossViewSession& session, std::string_view line,
                const InspectionOptions& options);

// A line whose paths start in the folder of the list that it is from.
std::string in_folder(const model_file::CrossViewSession& session, const std::string& line,
                      const std::string& folder);
std::vector<PositionMaps> positions_of(const model_file::CrossViewSession& session);
// Throws OptionError for an option that is not at its default and that such a model does not read.
void check_options(const model_file::CrossViewSession& session, const InspectionOptions& options);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_KINDS_CROSS_VIEW_H_
