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

// Throws OptionError where --output is a file of this kind, which a later line of a pipe may name.
void check_output_of_pipe(const std::string& output, data::FileKind kind);

// Throws OptionError where --output would overwrite one of these files, which are of this kind;
// where they are not known, as check_output_of_pipe() does.
void check_listed_output(const std::string& output,
                         const std::optional<std::vector<std::string>>& files, data::FileKind kind);

}  // namespace weft::app

#endif  // APPS_WEFT_INPUT_LISTED_FILES_H_
