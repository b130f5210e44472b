// What a detector does with a picture: what its patches attend to, and what each query looks at.
#ifndef WEFT_INSPECT_KINDS_DETECTOR_H_
#define WEFT_INSPECT_KINDS_DETECTOR_H_

#include <string_view>
#include <vector>

#include "weft/inspect/inspection.h"
#include "weft/inspect/options.h"
#include "weft/inspect/positions.h"
#include "weft/model_file/detector.h"

namespace weft::inspect {

// Of the picture at this path. Axes: "patches", "queries". Throws FileError and FormatError for
// what cannot be read.
Example inspect(const model_file::DetectorSession& session, std::string_view path,
                const InspectionOptions& options);

std::vector<PositionMaps> positions_of(const model_file::DetectorSession& session);
// Throws OptionError for an option that is not at its default and that such a model does not read.
void check_options(const model_file::DetectorSession& session, const InspectionOptions& options);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_KINDS_DETECTOR_H_
