#include "apps/weft/output/tag_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace weft::app {
namespace {

std::string text_of(float probability) { return fmt::format("{:.6f}", probability); }

// Fields with their tabs.
void add_field(std::string& line, std::string_view field, bool is_first) {
  if (!is_first) line += '\t';
  line += field;
}

}  // namespace

TextLines LabelsLayout::operator()(const TaggedText& tagged) const {
  std::string line;
  for (const TaggedText::Column& column : tagged.columns) {
    add_field(line, fmt::format("{}", fmt::join(column.labels, " ")),
              &column == &tagged.columns.front());
    if (column.probabilities.empty()) continue;
    TextLines numbers;
    for (const float p : column.probabilities) numbers.push_back(text_of(p));
    add_field(line, fmt::format("{}", fmt::join(numbers, " ")), false);
  }
  return {line};
}

TextLines TsvLayout::operator()(const TaggedText& tagged) const {
  return {fmt::format("{}\t{}", fmt::join(tagged.words, " "), LabelsLayout()(tagged).front())};
}

TextLines ConllLayout::operator()(const TaggedText& tagged) const {
  TextLines lines;
  for (size_t w = 0; w < tagged.words.size(); ++w) {
    std::string& line = lines.emplace_back(tagged.words[w]);
    for (const TaggedText::Column& column : tagged.columns) {
      if (column.labels.empty()) {
        add_field(line, "", false);
        continue;
      }
      const size_t i = std::min(w, column.labels.size() - 1);
      add_field(line, column.labels[i], false);
      if (!column.probabilities.empty()) add_field(line, text_of(column.probabilities[i]), false);
    }
  }
  lines.emplace_back();
  return lines;
}

}  // namespace weft::app
