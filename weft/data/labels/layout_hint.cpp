#include "weft/data/labels/layout_hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "weft/data/text/text_file.h"

namespace weft::data {
namespace {

constexpr int64_t kLines = 1000;
constexpr int64_t kConlluFields = 10;

int64_t count_fields(std::string_view line) {
  if (line.find('\t') != line.npos) return std::ranges::count(line, '\t') + 1;
  int64_t fields = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] != ' ' && (i == 0 || line[i - 1] == ' ')) ++fields;
  }
  return fields;
}

// The first lines of a file, but for comments.
struct FirstLines {
  int64_t blank = 0, comments = 0, with_tabs = 0, filled = 0;
  int64_t fewest_fields = 1 << 20, most_fields = 0;

  explicit FirstLines(const std::string& path) {
    TextFile file(path);
    for (int64_t i = 0; i < kLines && file.next(); ++i) {
      std::string_view line = file.line();
      if (line.ends_with('\r')) line.remove_suffix(1);
      add(line);
    }
  }
  void add(std::string_view line) {
    if (line.find_first_not_of(" \t") == line.npos) {
      ++blank;
    } else if (line.starts_with("# ")) {
      ++comments;
    } else if (!line.starts_with("-DOCSTART-")) {
      ++filled;
      with_tabs += line.find('\t') != line.npos ? 1 : 0;
      fewest_fields = std::min(fewest_fields, count_fields(line));
      most_fields = std::max(most_fields, count_fields(line));
    }
  }
  bool has_a_word_a_line() const {
    return blank > 0 && filled > blank && fewest_fields == most_fields && fewest_fields > 1 &&
           (with_tabs == 0 || with_tabs == filled);
  }
};

}  // namespace

std::string layout_hint(const std::string& path, bool of_lines) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return {};
  const FirstLines lines(path);
  if (lines.has_a_word_a_line()) {
    const bool is_conllu = lines.comments > 0 && lines.fewest_fields == kConlluFields;
    return fmt::format(
        "; hint: lines of {} fields with blank lines between them, a word a line, are --format {}",
        lines.fewest_fields, is_conllu ? "conllu" : "conll");
  }
  if (of_lines && lines.with_tabs == 0 && lines.fewest_fields > 1 && lines.most_fields > 2) {
    return "; hint: no line has a tab; if its first word is the label, give --format first-word";
  }
  return {};
}

}  // namespace weft::data
