// Lines of text that commands read, and those that they write.
#ifndef APPS_WEFT_LINES_H_
#define APPS_WEFT_LINES_H_

#include <fstream>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/text_file.h"
#include "weft/decode/translate.h"

namespace weft::app {

// The defaults of --input and --output; "-" is the same.
inline constexpr std::string_view kStandardInput = "stdin", kStandardOutput = "stdout";

// Lines of a file, or of standard input as they come in.
class LineSource {
 public:
  explicit LineSource(const std::string& path);

  // False where there is no more line.
  bool next(decode::SourceLine& line);
  // Somebody waits for an answer to every line.
  bool is_interactive() const;

 private:
  std::optional<data::TextFile> file_;
  int64_t lines_ = 0;  // read from standard input
};

// A file that lines are written to, or standard output.
class LineSink {
 public:
  // Throws FileError, as writing does.
  explicit LineSink(const std::string& path);

  void write(const std::vector<std::string>& lines);
  void write_part(std::string_view text);

 private:
  void put(std::string_view text);
  void flush();
  void check() const;

  std::string path_;
  bool is_standard_;
  std::ofstream file_;
};

// Calls take(lines) for windows of up to `most` lines; from a terminal, for each line at once.
void for_each_window(LineSource& source, int64_t most,
                     const std::function<void(std::span<const decode::SourceLine>)>& take);

}  // namespace weft::app

#endif  // APPS_WEFT_LINES_H_
