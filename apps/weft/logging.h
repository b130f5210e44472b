// Log messages on standard error and, optionally, in a file.
#ifndef APPS_WEFT_LOGGING_H_
#define APPS_WEFT_LOGGING_H_

#include <string>
#include <string_view>

namespace weft::app {

// Sends the library's messages to standard error (only warnings if quiet) and, unless the path is
// empty, appends all of them to a file. Throws FileError if the file cannot be opened. After the
// first write error, which is printed, the file is no longer written.
void start_logging(bool quiet, const std::string& path);

// Appends a message to the file alone, if there is one.
void record(std::string_view message);

// Records the end of the program and its reason. Of a signal that ends it before, the start of
// logging sees to that.
void record_end(int status);

// Whether all messages have been written to the file.
bool log_is_complete();

// Shows a status line, such as a progress report, which replaces the previous one; messages are
// printed above it. An empty line clears it. Does nothing if quiet or if standard error is not a
// terminal.
void show_status(std::string_view line);

// Prints an error as one line, with control characters escaped.
void report_error(std::string_view message);

}  // namespace weft::app

#endif  // APPS_WEFT_LOGGING_H_
