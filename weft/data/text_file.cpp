#include "weft/data/text_file.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "weft/core/error.h"
#include "weft/core/utf8.h"
#include "weft/data/standard_input.h"

namespace weft::data {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;

std::string system_error() { return std::strerror(errno); }

gzFile open_gzip(const std::string& path, Pipes pipes) {
  const int descriptor = open_for_reading(path, pipes);
  gzFile file = gzdopen(descriptor, "rb");
  if (!file) {
    ::close(descriptor);
    fail<FileError>(path, "cannot be read: {}", std::strerror(ENOMEM));
  }
  gzbuffer(file, kBufferBytes);
  return file;
}

// Reads up to `size` bytes, 0 at the end of the file.
size_t read_some(gzFile file, const std::string& path, int64_t line_number, char* to, size_t size) {
  const int got = gzread(file, to, static_cast<unsigned>(size));
  if (got > 0) return static_cast<size_t>(got);
  int code = Z_OK;
  gzerror(file, &code);
  if (got == 0 && (code == Z_OK || code == Z_STREAM_END)) return 0;
  if (code == Z_ERRNO) fail<FileError>(path, "cannot be read: {}", system_error());
  const std::string_view what = code == Z_BUF_ERROR ? "is cut off" : "is damaged";
  fail<FormatError>(path, "the compressed file {} after line {}", what, line_number);
}

}  // namespace

void fail_unended(std::string_view path, int64_t lines) {
  fail<FormatError>(path, "no line end in {} MiB after line {}; expected lines of text",
                    kMaxUnendedBytes >> 20, lines);
}

struct TextFile::State {
  std::string path;
  size_t max_line_bytes = 0;
  gzFile file = nullptr;
  std::string buffer = std::string(kBufferBytes, '\0');
  size_t begin = 0, end = 0;  // what of the buffer is not read yet
  std::string joined;         // a line that crosses buffers
  std::string_view line;
  bool too_long = false;
  int64_t number = 0;

  State(const std::string& from, size_t limit)
      : path(from == kStandardInput ? std::string(kStandardInputName) : from),
        max_line_bytes(limit),
        file(open_gzip(from == kStandardInput ? standard_input_path() : from, Pipes::kRead)) {}
  ~State() { gzclose_r(file); }

  bool fill() {
    begin = 0;
    end = read_some(file, path, number, buffer.data(), buffer.size());
    return end > 0;
  }

  // Takes the bytes up to the end of the line, or of the buffer; true when the line is complete.
  bool take(std::string_view& piece) {
    const char* from = buffer.data() + begin;
    const void* found = std::memchr(from, '\n', end - begin);
    const size_t size = found ? static_cast<const char*>(found) - from : end - begin;
    piece = {from, size};
    begin += size + (found ? 1 : 0);
    return found != nullptr;
  }

  void join(std::string_view piece) {
    too_long = too_long || joined.size() + piece.size() > max_line_bytes;
    if (too_long) {
      joined.clear();
    } else {
      joined += piece;
    }
  }

  bool next() {
    too_long = false;
    joined.clear();
    if (begin == end && !fill()) {
      line = {};
      return false;
    }
    std::string_view piece;
    bool complete = take(piece);
    if (complete && piece.size() <= max_line_bytes) {
      line = piece;
    } else {
      join(piece);
      size_t bytes = piece.size();
      while (!complete && fill()) {
        complete = take(piece);
        join(piece);
        bytes += piece.size();
        if (bytes > kMaxUnendedBytes) fail_unended(path, number);
      }
      line = joined;
    }
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (++number == 1) line = without_byte_order_mark(line);
    return true;
  }
};

TextFile::TextFile(const std::string& path, size_t max_line_bytes)
    : state_(std::make_unique<State>(path, max_line_bytes)) {}
TextFile::~TextFile() = default;
TextFile::TextFile(TextFile&&) noexcept = default;
TextFile& TextFile::operator=(TextFile&&) noexcept = default;

bool TextFile::next() { return state_->next(); }
std::string_view TextFile::line() const { return state_->line; }
bool TextFile::is_too_long() const { return state_->too_long; }
int64_t TextFile::line_number() const { return state_->number; }
const std::string& TextFile::path() const { return state_->path; }

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

std::vector<std::string> read_lines(const std::string& path, size_t max_bytes) {
  TextFile file(path);
  std::vector<std::string> lines;
  size_t bytes = 0;
  while (file.next()) {
    if (file.is_too_long()) {
      fail<FormatError>(file.path(), "line {} is over {} bytes", file.line_number(), kMaxLineBytes);
    }
    if (!valid_utf8(file.line())) {
      fail<FormatError>(file.path(), "line {} is not UTF-8", file.line_number());
    }
    lines.emplace_back(file.line());
    bytes += sizeof(std::string) + file.line().size();
    if (bytes > max_bytes) {
      fail<FormatError>(path, "is too large; expected lines of at most {} bytes in memory",
                        max_bytes);
    }
  }
  return lines;
}

void read_pieces(const std::string& path, Pipes pipes,
                 const std::function<bool(std::string_view)>& take) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(open_gzip(path, pipes), gzclose_r);
  std::string buffer(kBufferBytes, '\0');
  while (const size_t got = read_some(file.get(), path, 0, buffer.data(), buffer.size())) {
    if (!take({buffer.data(), got})) return;
  }
}

std::string read_bytes(const std::string& path, Pipes pipes, size_t max_bytes) {
  std::string bytes;
  read_pieces(path, pipes, [&](std::string_view piece) {
    if (bytes.size() + piece.size() > max_bytes) {
      fail<FormatError>(path, "is too large; expected at most {} bytes", max_bytes);
    }
    bytes += piece;
    return true;
  });
  return bytes;
}

}  // namespace weft::data
