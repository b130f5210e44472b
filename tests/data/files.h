// Files for the tests of reading them.
#ifndef WEFT_TESTS_DATA_FILES_H_
#define WEFT_TESTS_DATA_FILES_H_

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace weft::data {

// A folder of its own for each test, gone when the test ends.
class TempFolder {
 public:
  TempFolder() {
    std::string name = ::testing::TempDir() + "weft_data_XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  // Writes a file, compressed where its name ends with .gz, and gives its path.
  std::string write(const std::string& name, const std::string& bytes) const {
    if (name.ends_with(".gz")) {
      gzFile file = gzopen(path(name).c_str(), "wb");
      gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
      gzclose(file);
    } else {
      std::ofstream(path(name), std::ios::binary) << bytes;
    }
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The message of the Kind that `act` throws; a failure when it throws another or nothing.
template <class Kind, class Act>
std::string message_of(Act&& act) {
  try {
    act();
  } catch (const Kind& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another kind of error: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no error";
  return "";
}

}  // namespace weft::data

#endif  // WEFT_TESTS_DATA_FILES_H_
