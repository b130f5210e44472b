// Input files of a training, checked before work begins that may take long.
#ifndef WEFT_TASKS_CHECK_READABLE_H_
#define WEFT_TASKS_CHECK_READABLE_H_

#include <string>
#include <vector>

namespace weft::tasks {

// Throws FileError for a file that cannot be read; "-" is standard input.
void check_readable(const std::vector<std::string>& paths);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_CHECK_READABLE_H_
