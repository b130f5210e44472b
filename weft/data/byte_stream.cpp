#include "weft/data/byte_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "weft/core/error.h"
#include "weft/core/interruption.h"

namespace weft::data {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;
constexpr int kPipeBytes = 1 << 20;  // the most that Linux gives to any user
constexpr std::string_view kGzipMagic = "\x1F\x8B";
constexpr std::string_view kFirstOfMarks = "\x1F\xFE\xFF";  // of gzip and UTF-16
constexpr int kGzip = 16;  // of zlib's window bits: members with a gzip header

// Whether a read returns at once, if only with the end or an error; waits for that many
// milliseconds, -1 for ever.
bool is_readable(int descriptor, int timeout) {
  pollfd polled{.fd = descriptor, .events = POLLIN, .revents = 0};
  return ::poll(&polled, 1, timeout) != 0;
}

}  // namespace

// Decompresses members, one after the other.
class ByteStream::Gzip {
 public:
  Gzip() {
    if (inflateInit2(&stream_, MAX_WBITS + kGzip) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() { inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  bool in_member() const { return in_member_; }
  bool needs_input() const {
    return stream_.avail_in == 0 && (stream_.avail_out > 0 || !in_member_);
  }
  // The bytes, which it does not change, have to stay until it needs more.
  void set_input(std::string_view bytes) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
  }
  // Whether no other member follows: gzip ignores the rest, too.
  bool is_at_end() const {
    return !in_member_ && *stream_.next_in != static_cast<Bytef>(kGzipMagic.front());
  }
  // The next bytes, none where it needs input first; nothing where the file is damaged.
  std::optional<std::string_view> inflate() {
    if (!in_member_) inflateReset(&stream_);
    stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
    stream_.avail_out = static_cast<uInt>(output_.size());
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return std::nullopt;
    in_member_ = code != Z_STREAM_END;
    return std::string_view(output_).substr(0, output_.size() - stream_.avail_out);
  }

 private:
  z_stream stream_ = {};
  std::string output_ = std::string(kBufferBytes, '\0');
  bool in_member_ = true;
};

struct ByteStream::State {
  int descriptor;
  std::string path;
  std::string input = std::string(kBufferBytes, '\0');
  std::unique_ptr<Gzip> gzip = nullptr;  // of compressed bytes
  bool is_begun = false;
  int64_t lines = 0;  // line ends in what was decompressed

  State(int from, std::string name) : descriptor(from), path(std::move(name)) {
    // Of a pipe: its writer goes on while its reader computes. Refused by anything else.
    ::fcntl(descriptor, F_SETPIPE_SZ, kPipeBytes);
  }
  ~State() { ::close(descriptor); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // The bytes of the file behind the first `kept` of the input.
  std::optional<std::string_view> read_input(size_t kept, Wait wait) {
    for (;;) {
      if (wait == Wait::kNo && !is_readable(descriptor, 0)) return std::nullopt;
      interruption_point();
      const ssize_t got = ::read(descriptor, input.data() + kept, input.size() - kept);
      if (got >= 0) return std::string_view(input).substr(0, kept + static_cast<size_t>(got));
      if (errno == EINTR) {
        interruption_point(true);
        continue;
      }
      if (errno == EAGAIN && wait == Wait::kNo) return std::nullopt;
      if (errno == EAGAIN) {
        is_readable(descriptor, -1);
      } else {
        fail<FileError>(path, "cannot be read: {}", std::strerror(errno));
      }
    }
  }

  std::optional<std::string_view> begin(Wait wait) {
    std::optional<std::string_view> bytes = read_input(0, wait);
    if (!bytes) return std::nullopt;
    if (bytes->size() == 1 && kFirstOfMarks.find(bytes->front()) != kFirstOfMarks.npos) {
      bytes = read_input(1, Wait::kYes);
    }
    is_begun = true;
    if (!bytes->starts_with(kGzipMagic)) return bytes;
    gzip = std::make_unique<Gzip>();
    gzip->set_input(*bytes);
    return inflate(wait);
  }

  std::optional<std::string_view> inflate(Wait wait) {
    for (;;) {
      if (gzip->needs_input()) {
        const std::optional<std::string_view> bytes = read_input(0, wait);
        if (!bytes) return std::nullopt;
        if (bytes->empty() && gzip->in_member()) fail_compressed("is cut off");
        if (bytes->empty()) return bytes;
        gzip->set_input(*bytes);
      }
      if (gzip->is_at_end()) return std::string_view();
      const std::optional<std::string_view> bytes = gzip->inflate();
      if (!bytes) fail_compressed("is damaged");
      lines += std::ranges::count(*bytes, '\n');
      if (!bytes->empty()) return bytes;
    }
  }
  [[noreturn]] void fail_compressed(std::string_view what) const {
    fail<FormatError>(path, "the compressed file {} after line {}", what, lines);
  }
};

ByteStream::ByteStream(int descriptor, std::string path)
    : state_(std::make_unique<State>(descriptor, std::move(path))) {}
ByteStream::~ByteStream() = default;
ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream& ByteStream::operator=(ByteStream&&) noexcept = default;

std::optional<std::string_view> ByteStream::read(Wait wait) {
  if (!state_->is_begun) return state_->begin(wait);
  return state_->gzip ? state_->inflate(wait) : state_->read_input(0, wait);
}

}  // namespace weft::data
