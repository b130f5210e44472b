// A temporary folder, removed with its content at the end of the test.
#ifndef WEFT_TESTS_SUPPORT_SCRATCH_H_
#define WEFT_TESTS_SUPPORT_SCRATCH_H_

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace weft::test {

class Scratch {
 public:
  Scratch() {
    path_ = (std::filesystem::temp_directory_path() / "weft-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no folder for a test");
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& folder() const { return path_; }
  std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }
  // Writes a file and returns its path.
  std::string file(std::string_view name, std::string_view content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  // The sorted names of all files.
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      out.push_back(entry.path().filename().string());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  std::string path_;
};

// The bytes of a file. Throws std::runtime_error if it cannot be read.
inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_SCRATCH_H_
