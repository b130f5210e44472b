// The files that the lines of an input name.
#ifndef APPS_WEFT_INPUT_LISTED_FILES_H_
#define APPS_WEFT_INPUT_LISTED_FILES_H_

#include <optional>
#include <string>
#include <vector>

#include "apps/weft/input/lines.h"

namespace weft::app {

// All files of a source that has just been opened for this --input; nothing of standard input and
// pipes, which can be read once. Throws FileError.
std::optional<std::vector<std::string>> listed_files(const LineSource& source,
                                                     const std::string& input);

// Throws OptionError where --output would overwrite one of these files.
void check_listed_output(const std::string& output, const std::vector<std::string>& files);

}  // namespace weft::app

#endif  // APPS_WEFT_INPUT_LISTED_FILES_H_
