// Log messages. The library prints nothing itself; a program receives messages through a sink.
#ifndef WEFT_CORE_LOG_H_
#define WEFT_CORE_LOG_H_

#include <fmt/core.h>

#include <functional>
#include <string_view>

namespace weft::log {

enum class Level { kInfo, kWarning };

using Sink = std::function<void(Level, std::string_view)>;

// Replaces the sink. An empty sink, the default, drops every message. Thread-safe; a sink must not
// log.
void set_sink(Sink sink);
void write(Level level, std::string_view message);

template <class... Args>
void info(fmt::format_string<Args...> text, Args&&... args) {
  write(Level::kInfo, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
void warn(fmt::format_string<Args...> text, Args&&... args) {
  write(Level::kWarning, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace weft::log

#endif  // WEFT_CORE_LOG_H_
