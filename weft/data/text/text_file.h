// Lines of a text file, plain or gzip-compressed, in UTF-8 or UTF-16 (told by content), and whole
// files of bytes.
#ifndef WEFT_DATA_TEXT_TEXT_FILE_H_
#define WEFT_DATA_TEXT_TEXT_FILE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/files/open_file.h"

namespace weft::data {

inline constexpr size_t kMaxLineBytes = size_t{1} << 20;
// What goes on for longer without a line end is no text.
inline constexpr size_t kMaxUnendedBytes = size_t{256} << 20;

// How standard input is read: kept, so that several may read it, each from its beginning
// (data::standard_input_path), or by one reader as it comes.
enum class StandardInput { kKept, kAsItComes };

// Reads a file line by line. A line ends at '\n' or at the end of the file; one '\r' before it and
// a byte order mark before the first line are dropped. A text that begins with the byte order mark
// of UTF-16 is read as UTF-8. Never more than the limit and a fixed buffer is held in memory,
// however long a line is. A pipe is read as it comes; "-" is standard input. Throws FileError when
// the file is missing, a directory or unreadable, FormatError when a compressed file is cut off or
// damaged, or a line has no end in kMaxUnendedBytes.
class TextFile {
 public:
  explicit TextFile(const std::string& path, size_t max_line_bytes = kMaxLineBytes,
                    StandardInput standard_input = StandardInput::kKept);
  ~TextFile();
  TextFile(TextFile&&) noexcept;
  TextFile& operator=(TextFile&&) noexcept;

  // Goes to the next line; false at the end of the file.
  bool next();
  // Whether next() would return without waiting for more of a pipe or a terminal.
  bool is_ready();
  // The current line, until the next call of next() or is_ready(); empty where it is over the
  // limit.
  std::string_view line() const;
  bool is_too_long() const;         // likewise
  int64_t line_number() const;      // of the current line, from 1; lines read in all at the end
  const std::string& path() const;  // for messages

 private:
  class Utf8Stream;
  struct State;
  std::unique_ptr<State> state_;
};

// What is behind the mark of UTF-8 (EF BB BF) that some programs begin a text with.
std::string_view without_byte_order_mark(std::string_view text);

// Throws the FormatError for a line without an end, which follows `lines` others.
[[noreturn]] void fail_unended(std::string_view path, int64_t lines);

// Every line of a file. Throws as TextFile does, and FormatError naming the first line that is over
// the limit or not UTF-8, or when all of them take more than `max_bytes` of memory.
std::vector<std::string> read_lines(const std::string& path, size_t max_bytes = size_t{1} << 30);

// Calls take(bytes) for one piece of a file after another, decompressed where it is gzip, until one
// call returns false; throws as TextFile does.
void read_pieces(const std::string& path, Pipes pipes,
                 const std::function<bool(std::string_view)>& take);

// The bytes of a file, decompressed where it is gzip; throws as TextFile does, and FormatError when
// they are more than `max_bytes`.
std::string read_bytes(const std::string& path, Pipes pipes, size_t max_bytes = size_t{1} << 30);

// The same of a text: pipes are read, and "-" is standard input.
std::string read_document(const std::string& path, size_t max_bytes = size_t{1} << 30);

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_TEXT_FILE_H_
