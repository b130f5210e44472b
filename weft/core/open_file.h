// The one way in which files are opened for reading.
#ifndef WEFT_CORE_OPEN_FILE_H_
#define WEFT_CORE_OPEN_FILE_H_

#include <string>

namespace weft {

// What is no regular file, a pipe such as bash's <(zcat text.gz) say: waited for and read, or an
// error, without a wait.
enum class Pipes { kRead, kRefused };

// The file's descriptor, which the caller closes; it is closed on exec. Throws FileError for what
// cannot be opened and for a directory.
int open_for_reading(const std::string& path, Pipes pipes);

}  // namespace weft

#endif  // WEFT_CORE_OPEN_FILE_H_
