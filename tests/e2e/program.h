// The built program, for end-to-end tests.
#ifndef WEFT_TESTS_E2E_PROGRAM_H_
#define WEFT_TESTS_E2E_PROGRAM_H_

#include <string>
#include <utility>
#include <vector>

#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace weft::test {

inline std::vector<std::string> weft_command(std::vector<std::string> args) {
  args.insert(args.begin(), program_path());
  return args;
}

inline ProcessResult run_weft(std::vector<std::string> args, ProcessOptions options = {}) {
  return run_process(weft_command(std::move(args)), std::move(options));
}

}  // namespace weft::test

#endif  // WEFT_TESTS_E2E_PROGRAM_H_
