// Lines of text that commands read, and those that they write.
#ifndef APPS_WEFT_INPUT_LINES_H_
#define APPS_WEFT_INPUT_LINES_H_

#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/file_kind.h"
#include "weft/data/next_window.h"
#include "weft/data/text/text_file.h"
#include "weft/line.h"

namespace weft::app {

// The defaults of --input and --output; "-" is the same.
inline constexpr std::string_view kStandardInput = "stdin", kStandardOutput = "stdout";
// The path of an --input: "-" for both names of standard input.
std::string input_path(const std::string& input);
bool is_standard_output(const std::string& output);

// Lines of a file, or of standard input as they come.
class LineSource {
 public:
  using Item = Line;
  static constexpr std::string_view kUnit = "line";

  explicit LineSource(const std::string& path);
  // Paths of files of this kind: the lines of a list, such a file itself, or those of a folder, the
  // other files of which are left out with a warning. Throws FormatError for a picture or a sound
  // in place of a list.
  LineSource(const std::string& path, data::FileKind kind);

  // False where there is no more line.
  bool next(Line& line);
  // Whether next() would return without waiting for more of a pipe or a terminal.
  bool is_ready() { return !file_ || file_->is_ready(); }
  // Those of a folder, or the file that stands for itself; none of a list.
  const std::vector<std::string>& files() const { return paths_; }

 private:
  void check_list() const;

  std::optional<data::TextFile> file_;
  std::vector<std::string> paths_ = {};  // without a file: the lines
  size_t taken_ = 0;                     // of them
  bool is_list_ = false;                 // the file's lines are paths
};

// Whether this --input comes bit by bit: standard input, a pipe or a device.
bool is_stream(const std::string& input);

using data::next_window;

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

}  // namespace weft::app

#endif  // APPS_WEFT_INPUT_LINES_H_
