#include "weft/data/labels/labelled_lines.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "weft/data/labels/layout_hint.h"
#include "weft/data/standard_input.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/data/trimmed.h"

namespace weft::data {
namespace {

// One more than the highest field that is named.
int64_t field_count(const LabelledTextOptions& options) {
  int64_t count = std::max({options.text_field, options.pair_field, options.weight_field}) + 1;
  for (const LabelField& label : options.labels) count = std::max(count, label.field + 1);
  return count;
}

CorpusFiles corpus_of(const std::vector<std::string>& files, const LabelledTextOptions& options) {
  return {.files = files,
          .tsv = options.layout != LabelledLayout::kFiles,
          .standard_input = options.standard_input};
}

// How many fields the lines are cut into.
int64_t cut_fields(const std::vector<std::string>& files, const LabelledTextOptions& options) {
  switch (options.layout) {
    case LabelledLayout::kFiles: return std::ssize(files);
    case LabelledLayout::kTsv: return field_count(options);
    default: return 1;
  }
}

}  // namespace

LabelledLines::LabelledLines(const std::vector<std::string>& files,
                             const LabelledTextOptions& options)
    : options_(options),
      text_(corpus_of(files, options), cut_fields(files, options), options.max_line_bytes) {
  for (const std::string& file : files) {
    names_.push_back(file == kStandardInput ? std::string(kStandardInputName) : file);
  }
}

bool LabelledLines::next() {
  if (!text_.next()) return false;
  fault_ = {};
  read_fields();
  if (fault_) return true;
  example_.text = fields_[options_.text_field];
  example_.words.clear();
  for_each_word(example_.text, [&](std::string_view word) { example_.words.push_back(word); });
  if (example_.words.empty()) {
    set_fault(where(), "has no words; expected at least one");
  }
  if (options_.pair_field != kNoField) {
    example_.pair = fields_[options_.pair_field];
    if (trimmed(example_.pair).empty()) {
      set_fault(where_of_field(options_.pair_field), "no second text; expected two");
    }
  }
  if (options_.weight_field != kNoField) read_weight();
  example_.labels.resize(options_.labels.size());
  for (size_t i = 0; i < options_.labels.size(); ++i) {
    read_labels(options_.labels[i], example_.labels[i]);
  }
  return true;
}

void LabelledLines::read_fields() {
  switch (text_.fault()) {
    case LineFault::kNone: break;
    case LineFault::kOverLong:
      return set_fault(where(), fmt::format("is over {} bytes", options_.max_line_bytes));
    case LineFault::kBadUtf8: return set_fault(where(), "is not UTF-8");
    case LineFault::kFewColumns: return set_fault(where(), few_columns());
  }
  fields_ = text_.fields();
  if (options_.layout == LabelledLayout::kJsonl) return read_json_fields();
  if (options_.layout != LabelledLayout::kFirstWord) return;
  const std::string_view line = trimmed(fields_.front());
  const size_t end = std::min(line.find_first_of(kWhitespace), line.size());
  fields_ = {line.substr(0, end), trimmed(line.substr(end))};
}

void LabelledLines::read_json_fields() {
  const auto json = nlohmann::json::parse(fields_.front(), nullptr, false);
  const bool is_array_of_strings =
      json.is_array() && std::ranges::all_of(json, [](const auto& one) { return one.is_string(); });
  const int64_t expected = field_count(options_);
  if (!is_array_of_strings || std::ssize(json) < expected) {
    return set_fault(where(), fmt::format("expected an array of JSON of at least {} strings; hint: "
                                          "--format is the layout of the file",
                                          expected));
  }
  json_fields_ = json.get<std::vector<std::string>>();
  fields_.assign(json_fields_.begin(), json_fields_.end());
}

void LabelledLines::read_weight() {
  constexpr float kHighest = 1e6;
  const std::string_view text = trimmed(fields_[options_.weight_field]);
  float& weight = example_.weight;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error == std::errc() && rest == text.data() + text.size() && weight >= 0 &&
      weight <= kHighest) {
    return;
  }
  set_fault(where_of_field(options_.weight_field),
            fmt::format("a weight {}; expected a number from 0 to {}", quote(text), kHighest));
}

std::string LabelledLines::few_columns() {
  if (!layout_hint_) {
    const bool has_line_labels = !options_.labels.empty() && options_.labels.front().is_of_line;
    layout_hint_ = layout_hint(names_.front(), has_line_labels);
  }
  return fmt::format("too few columns; expected {} with tabs between them{}", field_count(options_),
                     *layout_hint_);
}

void LabelledLines::read_labels(const LabelField& field, std::vector<std::string_view>& labels) {
  labels.clear();
  const std::string_view text = fields_[field.field];
  if (!field.is_of_line) {
    for_each_word(text, [&](std::string_view label) { labels.push_back(label); });
    if (labels.size() == example_.words.size()) return;
    set_fault(where_of_field(field.field),
              fmt::format("{} labels for {} words; expected one for each", labels.size(),
                          example_.words.size()));
    return;
  }
  if (field.separators.empty()) {
    labels.push_back(trimmed(text));
    if (labels.front().empty()) set_fault(where_of_field(field.field), "no label; expected one");
    return;
  }
  std::unordered_set<std::string_view> seen;  // a line may have half a million labels
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(field.separators, begin), text.size());
    const std::string_view label = trimmed(text.substr(begin, end - begin));
    if (!label.empty() && seen.insert(label).second) labels.push_back(label);
    begin = end + 1;
  }
}

std::string LabelledLines::where(int64_t) const {
  return fmt::format("{}:{}", fmt::join(names_, " + "), text_.line() + 1);
}

std::string LabelledLines::where_of_field(int64_t field) const {
  if (options_.layout == LabelledLayout::kFiles) {
    return fmt::format("{}:{}", names_[field], text_.line() + 1);
  }
  return options_.labels.size() > 1 ? fmt::format("{}, column {}", where(), field + 1) : where();
}

// The first of several stays.
void LabelledLines::set_fault(std::string where, std::string what) {
  if (!fault_) fault_ = ExampleFault{std::move(where), std::move(what)};
}

}  // namespace weft::data
