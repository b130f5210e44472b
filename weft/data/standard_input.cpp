#include "weft/data/standard_input.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "weft/core/error.h"
#include "weft/core/interruption.h"
#include "weft/data/text/text_file.h"

namespace weft::data {
namespace {

constexpr size_t kChunk = size_t{1} << 20;

// Whether another open() of it reads the same from its beginning, which is where it stands. Devices
// other than terminals need no copy: what they bring has no end, or is nothing.
bool can_be_opened_again() {
  struct stat info {};
  if (::fstat(STDIN_FILENO, &info) != 0) {
    fail<FileError>(kStandardInputName, "cannot be read: {}", std::strerror(errno));
  }
  if (S_ISREG(info.st_mode)) return ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
  return S_ISCHR(info.st_mode) && ::isatty(STDIN_FILENO) == 0;
}

void copy_to(std::FILE* file) {
  std::vector<char> buffer(kChunk);
  size_t without_break = 0;
  int64_t lines = 0;
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    interruption_point(got < 0 && errno == EINTR);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail<FileError>(kStandardInputName, "cannot be read: {}", std::strerror(errno));
    if (got == 0) break;
    const auto size = static_cast<size_t>(got);
    const auto breaks = std::count(buffer.data(), buffer.data() + size, '\n');
    without_break = breaks > 0 ? 0 : without_break + size;
    lines += breaks;
    if (without_break > kMaxUnendedBytes) fail_unended(kStandardInputName, lines);
    if (std::fwrite(buffer.data(), 1, size, file) != size) {
      fail<FileError>(kStandardInputName, "cannot be copied to a temporary file: {}",
                      std::strerror(errno));
    }
  }
  if (std::fflush(file) != 0) {
    fail<FileError>(kStandardInputName, "cannot be copied to a temporary file: {}",
                    std::strerror(errno));
  }
}

std::string open_or_copy() {
  if (can_be_opened_again()) return fmt::format("/proc/self/fd/{}", STDIN_FILENO);
  std::FILE* const file = std::tmpfile();  // open to the end of the program, then gone
  if (file == nullptr) {
    fail<FileError>(kStandardInputName, "cannot be copied to a temporary file: {}",
                    std::strerror(errno));
  }
  copy_to(file);
  return fmt::format("/proc/self/fd/{}", ::fileno(file));
}

}  // namespace

std::string standard_input_path() {
  static const std::string path = open_or_copy();
  return path;
}

bool is_stream(const std::string& path) {
  std::error_code none;
  return path == kStandardInput ||
         (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none) &&
          !std::filesystem::is_directory(path, none));
}

}  // namespace weft::data
