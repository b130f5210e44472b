// Lists of pairs of views: two paths a line, and numbers that are known of the pair.
#ifndef WEFT_DATA_VIEWS_PAIR_LIST_H_
#define WEFT_DATA_VIEWS_PAIR_LIST_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::data {

// One line: the paths of two pictures, and any count of numbers, all with a tab between them.
struct ListedPair {
  std::string first, second;
  std::vector<float> numbers;
};

// Throws FormatError, which begins with `where` ("pairs.tsv:3"), for a line without two paths, and
// for what is no finite number.
ListedPair parse_pair(std::string_view line, const std::string& where);

// Consecutive pairs of a file; a path that is not absolute starts in the folder of the list.
struct PairList {
  std::vector<ListedPair> pairs;
  std::string name;
  int64_t first_line = 1;

  int64_t numbers() const { return pairs.empty() ? 0 : std::ssize(pairs.front().numbers); }
  std::string where(size_t pair) const {
    return name + ":" + std::to_string(first_line + static_cast<int64_t>(pair));
  }
};

// Parses a list, some lines after the others.
class PairListParser {
 public:
  explicit PairListParser(std::string path) : path_(std::move(path)) {}

  // The pairs of the next lines. Throws what parse_pair() throws, and FormatError for a line with
  // another count of numbers than the first.
  PairList parse(std::span<const std::string> lines);

 private:
  std::string path_;
  int64_t lines_ = 0;  // so far
  std::optional<int64_t> numbers_;
};

// The pairs of a file, plain or .gz. Throws what read_lines() and parsing throw, and FormatError
// for a file without a line.
PairList read_pair_list(const std::string& path);

}  // namespace weft::data

#endif  // WEFT_DATA_VIEWS_PAIR_LIST_H_
