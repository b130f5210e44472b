// Opens files for reading.
#ifndef WEFT_CORE_FILES_OPEN_FILE_H_
#define WEFT_CORE_FILES_OPEN_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace weft {

// Whether pipes and devices, such as bash's <(zcat text.gz), are read or refused. kRefused never
// blocks.
enum class Pipes { kRead, kRefused };

// Returns a close-on-exec descriptor that the caller closes. Throws FileError if the file cannot be
// opened or is a directory, and for a path with a zero byte, of which the system would see the
// beginning alone. An interruption point, see interruption.h.
int open_for_reading(const std::string& path, Pipes pipes);

// Reads up to `bytes` bytes from byte `begin` on and returns their number, which is lower only
// where the file ends, or -1 with errno set.
ssize_t read_at(int file, uint64_t begin, void* out, size_t bytes);

}  // namespace weft

#endif  // WEFT_CORE_FILES_OPEN_FILE_H_
