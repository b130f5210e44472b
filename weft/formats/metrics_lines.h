// Reads training metrics as weft train --metrics writes them (weft/train/records/metrics_file.h).
#ifndef WEFT_FORMATS_METRICS_LINES_H_
#define WEFT_FORMATS_METRICS_LINES_H_

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/files/mapped_file.h"

namespace weft::formats {

// Walks through the complete lines of a file. Throws FileError, and FormatError, naming the line,
// for other content.
class MetricsReader {
 public:
  using Json = nlohmann::ordered_json;

  explicit MetricsReader(const std::string& path) : path_(path), file_(path) {}

  bool next();
  const Json& json() const { return json_; }
  int64_t update() const { return number_ > 1 ? json_["update"].get<int64_t>() : 0; }
  std::optional<std::string> text(const char* key) const;
  // Bytes of the file up to the end of this line.
  size_t end() const { return end_; }
  int64_t number() const { return number_; }

 private:
  [[noreturn]] void fail_format(std::string_view expected) const;

  std::string path_;
  MappedFile file_;
  Json json_;
  size_t end_ = 0;
  int64_t number_ = 0;
};

// A line of a metrics file.
struct MetricsLine {
  std::string kind;
  int64_t update = 0;  // 0 of the start
  // Numbers by name: "loss", "gradient_norms.model.shared", "metrics.bleu". NaN stands for null.
  std::map<std::string, double> values;
};

// The lines of a file, without a last one that is half-written. Throws FileError, and FormatError,
// naming the line, for other content.
std::vector<MetricsLine> read_metrics(const std::string& path);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_METRICS_LINES_H_
