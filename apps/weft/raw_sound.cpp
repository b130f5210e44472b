#include "apps/weft/raw_sound.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/core/open_file.h"
#include "weft/data/audio/resampler.h"
#include "weft/tasks/transcription/live.h"

namespace weft::app {
namespace {

// Bytes of a file, a named pipe or standard input, as they come.
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
    ssize_t got = 0;
    do {
      got = ::read(file_, buffer_.data(), buffer_.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail<FileError>(path_, "cannot be read: {}", std::strerror(errno));
    return {buffer_.data(), static_cast<size_t>(got)};
  }

 private:
  std::string path_;
  bool is_standard_;
  int file_;
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

double transcribe_raw(const std::string& input, const RawOptions& options,
                      const tasks::Recogniser& recogniser, TranscriptFormat& format,
                      LineSink& sink) {
  const int64_t rate = recogniser.log_mel().options().sample_rate;
  std::optional<data::Resampler> resampler;
  if (options.rate > 0 && options.rate != rate) resampler.emplace(options.rate, rate);
  ByteSource source(input);
  data::RawDecoder decoder = decoder_of(options);
  tasks::LiveTranscriber live(recogniser, options.step);
  const auto write = [&](const std::string& text) {
    if (!text.empty()) sink.write_part(text);
  };
  write(format.header());
  std::vector<float> samples, resampled;
  const auto take = [&] { write(format.of_words(live.add(resampler ? resampled : samples))); };
  for (std::string_view bytes; !(bytes = source.read()).empty();) {
    samples.clear();
    resampled.clear();
    decoder.add(bytes, input, samples);
    if (resampler) resampler->resample(samples, resampled);
    take();
  }
  if (decoder.rest() > 0) {
    log::warn("{}: ends with {} bytes of a sample; is it --raw {} of --channels {}?", input,
              decoder.rest(), options.raw.name(), options.channels);
  }
  if (resampler) {
    resampled.clear();
    resampler->finish(resampled);
    take();
  }
  write(format.of_words(live.finish()));
  write(format.end());
  return live.seconds();
}

}  // namespace weft::app
