#include "weft/data/text/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "weft/core/error.h"
#include "weft/core/text/utf16.h"
#include "weft/core/text/utf8.h"
#include "weft/data/byte_stream.h"
#include "weft/data/standard_input.h"

namespace weft::data {
namespace {

ByteStream open_as_it_comes() {
  const int descriptor = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) {
    fail<FileError>(kStandardInputName, "cannot be read: {}", std::strerror(errno));
  }
  return {descriptor, std::string(kStandardInputName)};
}

ByteStream open_text(const std::string& path, StandardInput standard_input) {
  if (path != kStandardInput) return {open_for_reading(path, Pipes::kRead), path};
  if (standard_input == StandardInput::kAsItComes) return open_as_it_comes();
  return {open_for_reading(standard_input_path(), Pipes::kRead), std::string(kStandardInputName)};
}

}  // namespace

void fail_unended(std::string_view path, int64_t lines) {
  fail<FormatError>(path, "no line end in {} MiB after line {}; expected lines of text",
                    kMaxUnendedBytes >> 20, lines);
}

// The bytes of a text as UTF-8.
class TextFile::Utf8Stream {
 public:
  explicit Utf8Stream(ByteStream bytes) : bytes_(std::move(bytes)) {}

  // As ByteStream::read().
  std::optional<std::string_view> read(Wait wait) {
    for (;;) {
      const std::optional<std::string_view> bytes = bytes_.read(wait);
      if (!bytes) return std::nullopt;
      if (!is_begun_) begin(*bytes);
      if (!utf16_) return bytes;
      decoded_.clear();
      utf16_->decode(*bytes, decoded_);
      if (bytes->empty()) utf16_->finish(decoded_);
      if (!decoded_.empty() || bytes->empty()) return decoded_;
    }
  }

 private:
  void begin(std::string_view bytes) {
    is_begun_ = true;
    if (const std::optional<Utf16> order = utf16_of(bytes)) utf16_.emplace(*order);
  }

  ByteStream bytes_;
  bool is_begun_ = false;
  std::optional<Utf16Decoder> utf16_;
  std::string decoded_;
};

struct TextFile::State {
  enum class Progress { kNone, kPart, kWhole, kEnd };

  std::string path;
  size_t max_line_bytes = 0;
  Utf8Stream stream;
  std::string_view rest = {};           // what of the stream is not read yet
  Progress progress = Progress::kNone;  // of the next line
  std::string joined = {};              // a line that crosses pieces of the stream
  size_t bytes = 0;                     // of it
  std::string_view line = {};
  bool too_long = false;
  int64_t number = 0;

  // Takes the bytes up to the end of the line, or of the piece; true when the line is complete.
  bool take(std::string_view& piece) {
    const size_t end = rest.find('\n');
    piece = rest.substr(0, end);
    rest.remove_prefix(std::min(end, rest.size() - 1) + 1);
    return end != rest.npos;
  }

  void join(std::string_view piece) {
    bytes += piece.size();
    if (bytes > kMaxUnendedBytes) fail_unended(path, number);
    too_long = bytes > max_line_bytes;
    if (too_long) {
      joined.clear();
    } else {
      joined += piece;
    }
    line = joined;
  }

  void begin_line() {
    progress = Progress::kPart;
    line = {};
    joined.clear();
    bytes = 0;
    too_long = false;
  }

  // Reads on in the next line, to its end unless nothing is waited for; whether it got there.
  bool advance(Wait wait) {
    while (progress != Progress::kWhole && progress != Progress::kEnd) {
      if (rest.empty()) {
        const std::optional<std::string_view> more = stream.read(wait);
        if (!more) return false;
        rest = *more;
      }
      if (rest.empty()) {
        progress = progress == Progress::kPart ? Progress::kWhole : Progress::kEnd;
        break;
      }
      if (progress == Progress::kNone) begin_line();
      std::string_view piece;
      const bool is_complete = take(piece);
      if (is_complete && bytes == 0 && piece.size() <= max_line_bytes) {
        line = piece;
      } else {
        join(piece);
      }
      if (is_complete) progress = Progress::kWhole;
    }
    return true;
  }

  bool next() {
    advance(Wait::kYes);
    if (progress == Progress::kEnd) {
      line = {};
      too_long = false;
      return false;
    }
    progress = Progress::kNone;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (++number == 1) line = without_byte_order_mark(line);
    return true;
  }
};

TextFile::TextFile(const std::string& path, size_t max_line_bytes, StandardInput standard_input)
    : state_(std::make_unique<State>(
          State{.path = path == kStandardInput ? std::string(kStandardInputName) : path,
                .max_line_bytes = max_line_bytes,
                .stream = Utf8Stream(open_text(path, standard_input))})) {}
TextFile::~TextFile() = default;
TextFile::TextFile(TextFile&&) noexcept = default;
TextFile& TextFile::operator=(TextFile&&) noexcept = default;

bool TextFile::next() { return state_->next(); }
bool TextFile::is_ready() { return state_->advance(Wait::kNo); }
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
  ByteStream stream(open_for_reading(path, pipes), path);
  for (;;) {
    const std::string_view piece = *stream.read(Wait::kYes);
    if (piece.empty() || !take(piece)) return;
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

std::string read_document(const std::string& path, size_t max_bytes) {
  return read_bytes(path == kStandardInput ? standard_input_path() : path, Pipes::kRead, max_bytes);
}

}  // namespace weft::data
