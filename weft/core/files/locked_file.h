// Opens a file under an advisory lock between processes.
#ifndef WEFT_CORE_FILES_LOCKED_FILE_H_
#define WEFT_CORE_FILES_LOCKED_FILE_H_

#include <sys/types.h>

#include <string>

namespace weft {

// Opens the file at `path`, creating it if needed, and locks it exclusively until the descriptor is
// closed. The locked file is the one `path` names at that moment, even if other processes unlink or
// rename it while they hold the lock. On failure returns -1 with errno set; EWOULDBLOCK means that
// another process holds the lock.
int open_locked(const std::string& path, int access, mode_t mode);

}  // namespace weft

#endif  // WEFT_CORE_FILES_LOCKED_FILE_H_
