// Messages to the user on standard error, and to a file on request.
#ifndef APPS_WEFT_LOGGING_H_
#define APPS_WEFT_LOGGING_H_

#include <string>
#include <string_view>

namespace weft::app {

// Sends the library's messages to standard error (warnings only, if quiet) and, unless the path
// is empty, all of them to the end of a file. Throws FileError when that cannot be opened. The
// first time that it cannot be written an error is printed, and the file is left alone from then
// on.
void start_logging(bool quiet, const std::string& path);

// Whether every message went into the file.
bool log_is_whole();

// Shows a line that the next one replaces, such as a progress report; messages are printed above
// it. Does nothing where standard error is no terminal, or if quiet. Empty: takes it away.
void show_status(std::string_view line);

// The last words of a program that failed: one line, whatever stands in the message.
void report_error(std::string_view message);

}  // namespace weft::app

#endif  // APPS_WEFT_LOGGING_H_
