// Opening a file under an advisory lock that other processes respect.
#ifndef WEFT_CORE_LOCKED_FILE_H_
#define WEFT_CORE_LOCKED_FILE_H_

#include <sys/types.h>

#include <string>

namespace weft {

// Opens the file at `path`, which is created where it is missing, and locks it exclusively until
// the descriptor is closed. The file is the one that `path` names, even where other processes
// unlink or rename it while they hold its lock. Returns -1 with errno set where that fails:
// EWOULDBLOCK where another process holds the lock.
int open_locked(const std::string& path, int access, mode_t mode);

}  // namespace weft

#endif  // WEFT_CORE_LOCKED_FILE_H_
