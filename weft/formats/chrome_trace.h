// A profile as a trace that chrome://tracing and ui.perfetto.dev show.
#ifndef WEFT_FORMATS_CHROME_TRACE_H_
#define WEFT_FORMATS_CHROME_TRACE_H_

#include <span>
#include <string>

#include "weft/core/profile.h"

namespace weft::formats {

// Replaces the file at `path`. Throws FileError.
void write_chrome_trace(const std::string& path, std::span<const profile::Event> events);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_CHROME_TRACE_H_
