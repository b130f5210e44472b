// What holds for the whole process. All of it is thread-safe.
#ifndef WEFT_SETTINGS_H_
#define WEFT_SETTINGS_H_

#include <functional>
#include <string_view>

#include "weft/export.h"

namespace weft {

WEFT_API std::string_view version();

// The number of threads that compute, the calling one included; at first that of usable cores.
// Throws OptionError unless 1 <= threads <= 1024.
WEFT_API void use_threads(int threads);

enum class LogLevel { kInfo, kWarning };
using LogSink = std::function<void(LogLevel, std::string_view)>;
// Sends messages, such as those of a training, to `sink`, from now on; without one, as at first,
// they are dropped. The library itself prints nothing.
WEFT_API void send_log(LogSink sink);

}  // namespace weft

#endif  // WEFT_SETTINGS_H_
