// What is in the files of a model in any format that is read, and what the model does with
// examples.
#ifndef WEFT_API_INSPECT_INSPECT_FILE_H_
#define WEFT_API_INSPECT_INSPECT_FILE_H_

#include <span>
#include <string>

#include "weft/api/inspect/ablate.h"
#include "weft/inspect/options.h"
#include "weft/inspect/page.h"
#include "weft/predict/line.h"

namespace weft::api {

struct ExampleOptions {
  inspect::InspectionOptions inspection = {};
  std::string folder = {};   // in which the paths of examples start
  std::string adapter = {};  // of a language model; empty: none
};

// Without lines the summary alone. An example that cannot be read, or whose scores are not finite,
// is empty, and its note, which is logged, says why. Throws FileError, FormatError, OptionError.
inspect::ModelInspection inspect_file(const std::string& path, std::span<const Line> lines,
                                      const ExampleOptions& options,
                                      const AblationOptions& ablation = {});

}  // namespace weft::api

#endif  // WEFT_API_INSPECT_INSPECT_FILE_H_
