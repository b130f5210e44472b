#include "weft/data/labels/layout_hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "weft/data/labels/labelled_columns.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/data/text/text_file.h"
#include "weft/data/trimmed.h"

namespace weft::data {
namespace {

constexpr int64_t kLines = 1000;
constexpr int64_t kConlluFields = 10;

int64_t count_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  split_columns(line, false, fields);
  return std::ssize(fields);
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

// Whether `given` has a known label for each word of `text`, and no more.
bool has_a_label_a_word(std::string_view text, std::string_view given, const LabelSet& labels) {
  int64_t missing = 0;
  bool is_known = true;
  for_each_word(text, [&](std::string_view) { ++missing; });
  for_each_word(given, [&](std::string_view label) {
    --missing;
    is_known = is_known && labels.find(label) >= 0;
  });
  return is_known && missing == 0;
}

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

bool has_known_labels(std::string_view line, const LabelledFields& fields,
                      const std::vector<LabelSet>& labels) {
  const bool has_a_text_a_line = fields.format == "tsv";
  if (!has_a_text_a_line && fields.format != "conll" && fields.format != "conllu") return false;
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string_view> found;
  split_columns(line, fields.format != "conll", found);
  if (fields.text >= std::ssize(found)) return false;
  for (size_t c = 0; c < fields.columns(); ++c) {
    const int64_t field = fields.field_of(c);
    if (field >= std::ssize(found)) return false;
    const std::string_view label = found[static_cast<size_t>(field)];
    const bool is_known = has_a_text_a_line && c < fields.word_labels.size()
                              ? has_a_label_a_word(found[fields.text], label, labels[c])
                              : labels[c].find(trimmed(label)) >= 0;
    if (!is_known) return false;
  }
  return fields.columns() > 0;
}

}  // namespace weft::data
