#include "weft/data/views/pair_list.h"

#include <charconv>
#include <cmath>
#include <filesystem>

#include "weft/core/error.h"
#include "weft/data/text/tab_fields.h"
#include "weft/data/text/text_file.h"

namespace weft::data {
namespace {

float number_of(std::string_view text, const std::string& where, size_t column) {
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value)) {
    return value;
  }
  fail<FormatError>(where, "column {}: expected a number, got {}", column, quote(text));
}

}  // namespace

ListedPair parse_pair(std::string_view line, const std::string& where) {
  const std::vector<std::string_view> columns = tab_fields(line);
  if (columns.size() < 2 || columns[0].empty() || columns[1].empty()) {
    fail<FormatError>(where, "expected the paths of two pictures with a tab between them, got {}",
                      quote(line));
  }
  ListedPair out{
      .first = std::string(columns[0]), .second = std::string(columns[1]), .numbers = {}};
  if (out.first.find('\0') != out.first.npos || out.second.find('\0') != out.second.npos) {
    fail<FormatError>(where, "a path with a zero byte");
  }
  for (size_t i = 2; i < columns.size(); ++i) {
    out.numbers.push_back(number_of(columns[i], where, i + 1));
  }
  return out;
}

PairList PairListParser::parse(std::span<const std::string> lines) {
  PairList out{.pairs = {}, .name = path_, .first_line = lines_ + 1};
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  for (const std::string& line : lines) {
    const std::string where = out.where(out.pairs.size());
    ListedPair pair = parse_pair(line, where);
    pair.first = (folder / pair.first).string();
    pair.second = (folder / pair.second).string();
    const auto found = std::ssize(pair.numbers);
    if (!numbers_) numbers_ = found;
    if (found != *numbers_) {
      fail<FormatError>(where, "{} numbers; expected {}, as in line 1", found, *numbers_);
    }
    out.pairs.push_back(std::move(pair));
  }
  lines_ += std::ssize(lines);
  return out;
}

PairList read_pair_list(const std::string& path) {
  PairList out = PairListParser(path).parse(read_lines(path));
  if (out.pairs.empty()) fail<FormatError>(path, "has no pair; expected one a line");
  return out;
}

}  // namespace weft::data
