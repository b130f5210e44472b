// Opens files for reading.
#ifndef WEFT_CORE_OPEN_FILE_H_
#define WEFT_CORE_OPEN_FILE_H_

#include <string>

namespace weft {

// Whether pipes and devices, such as bash's <(zcat text.gz), are read or refused. kRefused never
// blocks.
enum class Pipes { kRead, kRefused };

// Returns a close-on-exec descriptor that the caller closes. Throws FileError if the file cannot be
// opened or is a directory, and for a path with a zero byte, of which the system would see the
// beginning alone.
int open_for_reading(const std::string& path, Pipes pipes);

}  // namespace weft

#endif  // WEFT_CORE_OPEN_FILE_H_
