#include "weft/data/features/feature_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>

#include "weft/core/error.h"
#include "weft/data/features/npy.h"
#include "weft/data/text/text_file.h"
#include "weft/data/trimmed.h"

namespace weft::data {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

template <class F>
void for_each_part(std::string_view text, char separator, F&& visit) {
  while (true) {
    const size_t end = text.find(separator);
    visit(trimmed(text.substr(0, end)));
    if (end == text.npos) return;
    text.remove_prefix(end + 1);
  }
}

// NaN where it is missing; nothing where it is no finite number.
std::optional<float> number_of(std::string_view text) {
  if (text.empty() || text == "?" || text == "nan" || text == "NaN" || text == "NA") {
    return kMissing;
  }
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto narrow = static_cast<float>(value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(narrow)) return {};
  return narrow;
}

// Numbers between commas.
std::vector<float> numbers_of(std::string_view text, std::string_view where) {
  std::vector<float> out;
  for_each_part(text, ',', [&](std::string_view part) {
    const std::optional<float> number = number_of(part);
    if (!number) fail<FormatError>(where, "expected a finite number, got {}", quote(part));
    out.push_back(*number);
  });
  return out;
}

bool has_a_number(std::string_view line) {
  bool found = false;
  for_each_part(line, ',', [&](std::string_view part) {
    const std::optional<float> number = number_of(part);
    found |= number && !std::isnan(*number);
  });
  return found;
}

FeatureSequence parse_csv(std::string_view bytes, const std::string& name) {
  FeatureSequence out;
  int64_t line_number = 0;
  bytes = without_byte_order_mark(bytes);
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = trimmed(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    ++line_number;
    if (line.empty() || (line_number == 1 && !has_a_number(line))) continue;
    const std::string where = fmt::format("{}:{}", name, line_number);
    const std::vector<float> row = numbers_of(line, where);
    if (out.width == 0) out.width = std::ssize(row);
    if (std::ssize(row) != out.width || out.width > kMaxFeatureWidth) {
      fail<FormatError>(where, "{} numbers; expected {}", row.size(),
                        std::min(out.width, kMaxFeatureWidth));
    }
    out.values.insert(out.values.end(), row.begin(), row.end());
  }
  return out;
}

// The lines before the examples of an sktime file.
struct TsHeader {
  bool has_labels = false;
  bool is_done = false;

  void read(std::string_view line, const std::string& where) {
    std::string key(trimmed(line.substr(0, line.find(' '))));
    std::ranges::transform(key, key.begin(), [](unsigned char c) { return std::tolower(c); });
    const bool is_true = line.find(" true") != line.npos;
    if (key == "@classlabel" || key == "@targetlabel") has_labels |= is_true;
    if (key == "@timestamps" && is_true) {
      fail<FormatError>(where, "time stamps; expected values at even times");
    }
    if (key != "@data") return;
    if (!has_labels)
      fail<FormatError>(
          where, "no labels; expected a line @classLabel true, or @targetLabel true of numbers");
    is_done = true;
  }
};

TsExample parse_example(std::string_view line, std::string where) {
  const size_t colon = line.rfind(':');
  if (colon == line.npos) {
    fail<FormatError>(where, "expected dimensions and a label with colons between them");
  }
  TsExample out{std::move(where), std::string(trimmed(line.substr(colon + 1))), {}};
  std::vector<std::vector<float>> dimensions;
  for_each_part(line.substr(0, colon), ':', [&](std::string_view part) {
    dimensions.push_back(numbers_of(part, out.where));
    if (dimensions.back().size() != dimensions.front().size()) {
      fail<FormatError>(out.where, "dimension {} has {} values; expected {}, as the first",
                        dimensions.size(), dimensions.back().size(), dimensions.front().size());
    }
  });
  out.sequence.width = std::ssize(dimensions);
  for (size_t row = 0; row < dimensions.front().size(); ++row) {
    for (const std::vector<float>& dimension : dimensions) {
      out.sequence.values.push_back(dimension[row]);
    }
  }
  return out;
}

}  // namespace

FeatureSequence parse_features(std::string_view bytes, const std::string& name) {
  FeatureSequence out = is_npy(bytes) ? parse_npy(bytes, name) : parse_csv(bytes, name);
  if (out.rows() == 0) fail<FormatError>(name, "no vector; expected at least one");
  return out;
}

FeatureSequence read_features(const std::string& path) {
  return parse_features(read_bytes(path, Pipes::kRefused), path);
}

bool holds_vectors(std::string_view bytes) {
  if (is_npy(bytes)) return true;
  bytes = without_byte_order_mark(bytes);
  for (int line = 0; line < 2; ++line) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view text = trimmed(bytes.substr(0, end));
    std::error_code none;
    if (std::filesystem::exists(text, none)) return false;
    if (has_a_number(text)) return true;
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return false;
}

bool is_ts(const std::string& path) {
  TextFile file(path);
  while (file.next()) {
    const std::string_view line = trimmed(file.line());
    if (!line.empty() && !line.starts_with('#')) return line.starts_with('@');
  }
  return false;
}

void read_ts(const std::string& path, const std::function<void(const TsExample&)>& take) {
  TextFile file(path);
  TsHeader header;
  while (file.next()) {
    std::string where = fmt::format("{}:{}", path, file.line_number());
    if (file.is_too_long()) fail<FormatError>(where, "is longer than {} bytes", kMaxLineBytes);
    const std::string_view line = trimmed(file.line());
    if (line.empty() || line.starts_with('#')) continue;
    if (!header.is_done) {
      header.read(line, where);
    } else {
      take(parse_example(line, std::move(where)));
    }
  }
  if (!header.is_done) fail<FormatError>(path, "expected a line @data before the examples");
}

}  // namespace weft::data
