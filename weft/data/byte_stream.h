// The bytes of a file, a pipe or a terminal as they come, decompressed where they are gzip.
#ifndef WEFT_DATA_BYTE_STREAM_H_
#define WEFT_DATA_BYTE_STREAM_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft::data {

// Whether to wait for bytes that have not come yet.
enum class Wait { kNo, kYes };

class ByteStream {
 public:
  // Closes the descriptor at its end; messages name `path`.
  ByteStream(int descriptor, std::string path);
  ~ByteStream();
  ByteStream(ByteStream&&) noexcept;
  ByteStream& operator=(ByteStream&&) noexcept;

  // The next bytes, which stay until the next call, as soon as there is one: empty at the end,
  // nothing where none has come and none is waited for. At the beginning two, where the first may
  // be that of a byte order mark. Throws FileError, and FormatError where
  // what is compressed is cut off or damaged.
  std::optional<std::string_view> read(Wait wait);

 private:
  class Gzip;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_BYTE_STREAM_H_
