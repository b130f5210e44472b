// Where the files of this checkout and its build are: functions, since a compiler cache can serve
// several checkouts only if the compilation of a test does not depend on its place.
#ifndef WEFT_TESTS_SUPPORT_PATHS_H_
#define WEFT_TESTS_SUPPORT_PATHS_H_

#include <string>

namespace weft::test {

// source_path("docs/marian.md"): the absolute path of a file of the repository.
std::string source_path(const std::string& file);

std::string program_path();      // of `weft`
std::string group_check_path();  // of tests/programs/group_check.cpp
std::string mpirun_path();       // empty without MPI

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_PATHS_H_
