#include "apps/weft/input/raw_sound.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "apps/weft/stop_signals.h"
#include "weft/core/error.h"
#include "weft/core/files/open_file.h"
#include "weft/core/log.h"

namespace weft::app {
namespace {

// What a pipe holds; of other files nothing.
int64_t bytes_in_pipe(int file) {
  struct stat status = {};
  int bytes = 0;
  const bool is_pipe = ::fstat(file, &status) == 0 && S_ISFIFO(status.st_mode);
  return is_pipe && ::ioctl(file, FIONREAD, &bytes) == 0 ? bytes : 0;
}

// Bytes of a file, a named pipe or standard input, as they come. A signal ends it as the end of the
// file does, after what a pipe holds by then.
class ByteSource {
 public:
  explicit ByteSource(const std::string& path)
      : path_(path),
        is_standard_(path == kStandardInput || path == "-"),
        file_(is_standard_ ? STDIN_FILENO : open_for_reading(path, Pipes::kRead)) {}
  ~ByteSource() {
    if (!is_standard_) ::close(file_);
  }
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Waits for bytes; empty at the end.
  std::string_view read() {
    if (!left_ && !signals_.wait_for(file_)) left_ = bytes_in_pipe(file_);
    const size_t most =
        left_ ? std::min(static_cast<size_t>(*left_), buffer_.size()) : buffer_.size();
    if (most == 0) return {};
    ssize_t got = 0;
    do {
      got = ::read(file_, buffer_.data(), most);
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail<FileError>(path_, "cannot be read: {}", std::strerror(errno));
    if (left_) *left_ -= got;
    return {buffer_.data(), static_cast<size_t>(got)};
  }
  int signal() const { return signals_.signal(); }

 private:
  std::string path_;
  bool is_standard_;
  int file_;
  StopSignals signals_;
  std::optional<int64_t> left_ = {};  // bytes to be read after a signal
  std::array<char, size_t{1} << 16> buffer_;
};

data::RawDecoder decoder_of(const RawOptions& options) {
  std::optional<data::RawDecoder> out;
  options.raw.visit([&]<class Kind>(const Kind& kind) {
    if constexpr (!std::is_same_v<Kind, NoRaw>) out.emplace(kind, options.channels);
  });
  return *out;
}

}  // namespace

RawEnd transcribe_raw(const std::string& input, const RawOptions& options,
                      const Transcriber& transcriber, TranscriptFormat& format, LineSink& sink) {
  ByteSource source(input);
  data::RawDecoder decoder = decoder_of(options);
  LiveTranscriber live(transcriber, options.rate, options.step);
  const auto write = [&](const std::string& text) {
    if (!text.empty()) sink.write_part(text);
  };
  write(format.header());
  std::vector<float> samples;
  for (std::string_view bytes; !(bytes = source.read()).empty();) {
    samples.clear();
    decoder.add(bytes, input, samples);
    write(format.of_words(live.add(samples)));
  }
  if (decoder.rest() > 0) {
    log::warn("{}: ends with {} bytes of a sample; is it --raw {} of --channels {}?", input,
              decoder.rest(), options.raw.name(), options.channels);
  }
  RawEnd end;
  write(format.of_words(live.finish(&end.report)));
  write(format.end());
  end.seconds = live.seconds();
  end.signal = source.signal();
  return end;
}

}  // namespace weft::app
