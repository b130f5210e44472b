// Sequences of vectors in files: NumPy's .npy, CSV, and sktime's .ts.
#ifndef WEFT_DATA_FEATURES_FEATURE_FILE_H_
#define WEFT_DATA_FEATURES_FEATURE_FILE_H_

#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace weft::data {

inline constexpr int64_t kMaxFeatureWidth = 65536;

struct FeatureSequence {
  int64_t width = 0;          // numbers of a vector
  std::vector<float> values;  // [rows, width]; NaN where one is missing

  int64_t rows() const { return width == 0 ? 0 : std::ssize(values) / width; }
};

// Reads one sequence, plain or .gz. An .npy file, recognised by its first bytes, has an array
// [rows, width] or [rows] of float32, float64 or integers in C order. Any other is CSV: a vector a
// line, numbers between commas; a number that is absent, `?` or `nan` is missing; a first line
// without a number has the names of columns. Throws FileError for a file that cannot be read,
// FormatError, naming file and line, for anything else, for an infinite number, and for no row.
FeatureSequence read_features(const std::string& path);
// The same of bytes in memory; `name` stands in errors for the file.
FeatureSequence parse_features(std::string_view bytes, const std::string& name);

// Whether a file that begins with these bytes is .npy, or CSV by a number in its first line or the
// second, behind the names of columns; a line that is the path of a file is none of CSV.
bool holds_vectors(std::string_view bytes);

// Whether a file has sktime's format: the first line that is not a comment (#) starts with @.
bool is_ts(const std::string& path);

struct TsExample {
  std::string where;  // "train.ts:17"
  std::string label;
  FeatureSequence sequence;
};
// Calls take() for each example of such a file: dimensions between colons, the last being the
// label, each with its numbers between commas. Throws as read_features() does, and FormatError for
// a file without labels, with time stamps, or whose dimensions have other lengths.
void read_ts(const std::string& path, const std::function<void(const TsExample&)>& take);

}  // namespace weft::data

#endif  // WEFT_DATA_FEATURES_FEATURE_FILE_H_
