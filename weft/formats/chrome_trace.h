// Writes a profile in Chrome's trace event format, for chrome://tracing and ui.perfetto.dev.
#ifndef WEFT_FORMATS_CHROME_TRACE_H_
#define WEFT_FORMATS_CHROME_TRACE_H_

#include <span>
#include <string>

#include "weft/core/profile.h"

namespace weft::formats {

// Writes the file atomically. Throws FileError.
void write_chrome_trace(const std::string& path, std::span<const profile::Event> events);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_CHROME_TRACE_H_
