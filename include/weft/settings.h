// What holds for the whole process. All of it is thread-safe.
#ifndef WEFT_SETTINGS_H_
#define WEFT_SETTINGS_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "weft/export.h"

namespace weft {

WEFT_API std::string_view version();

// Sets the number of threads that compute, including the calling one; initially the number of
// usable cores. Throws OptionError unless 1 <= threads <= 1024.
WEFT_API void use_threads(int threads);

// Bytes of the tensors of this process.
struct TensorMemory {
  int64_t peak_bytes = 0;      // in use at most
  int64_t reserved_bytes = 0;  // held for them
};
WEFT_API TensorMemory tensor_memory();

// Whether the checksum of every model file is verified before the model is used; at first not.
WEFT_API void check_model_files(bool enabled);

enum class LogLevel { kInfo, kWarning };
using LogSink = std::function<void(LogLevel, std::string_view)>;
// Sends all later messages, such as those of a training, to `sink`. Without a sink, which is the
// initial state, messages are dropped. The library itself prints nothing. The sink is called by one
// thread at a time and must not call this library.
WEFT_API void send_log(LogSink sink);

}  // namespace weft

#endif  // WEFT_SETTINGS_H_
