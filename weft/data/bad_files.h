// What becomes of files that cannot be read, among the many that a list or a folder names.
#ifndef WEFT_DATA_BAD_FILES_H_
#define WEFT_DATA_BAD_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "weft/core/error.h"
#include "weft/options/fields.h"

namespace weft::data {

enum class BadFiles {
  kRefuse,  // an error
  kSkip,    // left out, counted and named
  kCount,   // left out and counted
};
// The same treatment, but without naming skipped files, because they are named elsewhere.
constexpr BadFiles unnamed(BadFiles params) {
  return params == BadFiles::kSkip ? BadFiles::kCount : params;
}

struct BadFileOptions {
  static constexpr std::string_view kName = "bad-files";

  std::string bad_files = "skip";

  template <class V>
  void fields(V& v) {
    v(kName, bad_files,
      {.help = "what becomes of a file that is missing, damaged or of another form, such as a "
               "Thumbs.db among pictures: it is left out, counted and named, or it is an error",
       .choices = "skip|refuse",
       .may_change = true});
  }
  bool is_default() const { return bad_files == "skip"; }
  BadFiles params() const { return is_default() ? BadFiles::kSkip : BadFiles::kRefuse; }
};

// Counts what is left out and, for kSkip, logs a warning for each of the first files.
class SkippedFiles {
 public:
  explicit SkippedFiles(BadFiles params) : params_(params) {}

  // What read() returns; nothing where it throws a FileError or FormatError and such files are
  // skipped.
  template <class Read>
  std::optional<std::invoke_result_t<Read>> read(Read&& read) {
    if (params_ == BadFiles::kRefuse) return read();
    try {
      return read();
    } catch (const FileError& error) {
      add(error.what());
    } catch (const FormatError& error) {
      add(error.what());
    }
    return std::nullopt;
  }
  // Counts a file by what is wrong with it, or throws that as a FormatError where such files are
  // refused.
  void add(const std::string& fault);
  // "; 3 files left out", or nothing.
  std::string report() const;
  const std::string& first_fault() const { return first_fault_; }  // empty: there is none

 private:
  BadFiles params_;
  int64_t count_ = 0;
  std::string first_fault_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_BAD_FILES_H_
