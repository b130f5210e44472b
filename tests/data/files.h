// Files for the tests of reading them.
#ifndef WEFT_TESTS_DATA_FILES_H_
#define WEFT_TESTS_DATA_FILES_H_

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"

namespace weft::data {

// A test's own folder that can hold compressed files.
class TempFolder : public test::Scratch {
 public:
  // Writes a file, compressed where its name ends with .gz, and gives its path.
  std::string write(const std::string& name, const std::string& bytes) const {
    if (!name.ends_with(".gz")) return file(name, bytes);
    gzFile file = gzopen(path(name).c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return path(name);
  }
};

// Where the corpora of the benchmarks are.
inline std::string data_folder() {
  const char* given = std::getenv("WEFT_DATA");
  return given != nullptr ? given : WEFT_SOURCE_DIR "/../shared/data";
}

using test::message_of;

}  // namespace weft::data

#endif  // WEFT_TESTS_DATA_FILES_H_
