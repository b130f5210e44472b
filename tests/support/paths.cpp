#include "tests/support/paths.h"

namespace weft::test {

std::string source_path(const std::string& file) { return WEFT_SOURCE_DIR "/" + file; }

std::string program_path() { return WEFT_PROGRAM; }

std::string group_check_path() { return WEFT_GROUP_CHECK; }

std::string mpirun_path() { return WEFT_MPIRUN; }

}  // namespace weft::test
