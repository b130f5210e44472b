#include "weft/data/labels/labelled_columns.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/text/utf8.h"
#include "weft/data/text/tab_fields.h"

namespace weft::data {
namespace {

constexpr std::string_view kDocumentStart = "-DOCSTART-";

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

// "1-2" or "1.1": no word of its own.
bool is_no_word(std::string_view number) {
  const size_t digits = std::min(number.find_first_not_of("0123456789"), number.size());
  return digits > 0 && digits < number.size() && (number[digits] == '-' || number[digits] == '.');
}

}  // namespace

void split_columns(std::string_view line, bool by_tabs, std::vector<std::string_view>& fields) {
  fields.clear();
  const auto take = [&](std::string_view field) { fields.push_back(field); };
  if (by_tabs || line.find('\t') != line.npos) return for_each_tab_field(line, take);
  for (size_t begin = 0; begin < line.size();) {
    const size_t end = std::min(line.find(' ', begin), line.size());
    if (end > begin) take(line.substr(begin, end - begin));
    begin = end + 1;
  }
}

LabelledColumns::LabelledColumns(const std::string& file, const LabelledTextOptions& options)
    : options_(options),
      field_count_(options.text_field + 1),
      file_(file, options.max_line_bytes, options.standard_input),
      labels_(options.labels.size()) {
  for (const LabelField& label : options.labels) {
    field_count_ = std::max(field_count_, label.field + 1);
  }
}

bool LabelledColumns::read_sentence(Wait wait) {
  if (!is_begun_) start();
  while (!is_whole_ && (wait == Wait::kYes || file_.is_ready())) {
    if (!file_.next()) {
      is_whole_ = true;
    } else if (file_.is_too_long() || !is_blank(file_.line())) {
      read_line(file_.line());
    } else {
      is_whole_ = fault_ || !words_.empty();
    }
  }
  return is_whole_;
}

bool LabelledColumns::next() {
  read_sentence(Wait::kYes);
  finish();
  return fault_ || !words_.empty();
}

std::string LabelledColumns::where(int64_t word) const {
  return fmt::format("{}:{}", file_.path(), lines_[word]);
}

void LabelledColumns::start() {
  is_begun_ = true;
  fault_ = {};
  text_.clear();
  bytes_.clear();
  words_.clear();
  lines_.clear();
  for (auto& labels : labels_) labels.clear();
}

void LabelledColumns::read_line(std::string_view line) {
  if (fault_) return;
  if (file_.is_too_long()) {
    return set_fault(fmt::format("is over {} bytes", options_.max_line_bytes));
  }
  if (!valid_utf8(line)) return set_fault("is not UTF-8");
  if (is_skipped(line)) return;
  split_columns(line, options_.layout == LabelledLayout::kConllu, fields_);
  if (std::ssize(fields_) < field_count_) {
    return set_fault(
        fmt::format("expected at least {} columns, got {}", field_count_, fields_.size()));
  }
  const std::string_view word = fields_[options_.text_field];
  if (is_blank(word)) return set_fault("the word is empty");
  for (size_t i = 0; i < labels_.size(); ++i) {
    const std::string_view label = fields_[options_.labels[i].field];
    if (is_blank(label)) {
      return set_fault(
          fmt::format("the label in column {} is empty", options_.labels[i].field + 1));
    }
    labels_[i].push_back(keep(label));
  }
  if (!words_.empty()) text_ += ' ';
  words_.push_back({text_.size(), word.size()});
  text_ += word;
  lines_.push_back(file_.line_number());
  if (text_.size() + bytes_.size() > options_.max_line_bytes) {
    set_fault(fmt::format("a sentence of over {} bytes; expected a blank line after each",
                          options_.max_line_bytes));
  }
}

bool LabelledColumns::is_skipped(std::string_view line) const {
  if (options_.layout == LabelledLayout::kConll) return line.starts_with(kDocumentStart);
  return line.starts_with('#') || is_no_word(line.substr(0, line.find('\t')));
}

LabelledColumns::Range LabelledColumns::keep(std::string_view text) {
  bytes_ += text;
  return {bytes_.size() - text.size(), text.size()};
}

void LabelledColumns::finish() {
  is_begun_ = is_whole_ = false;
  const auto views = [](const std::string& bytes, const std::vector<Range>& ranges) {
    std::vector<std::string_view> out;
    out.reserve(ranges.size());
    for (const Range& range : ranges) {
      out.push_back(std::string_view(bytes).substr(range.begin, range.size));
    }
    return out;
  };
  example_.text = text_;
  example_.words = views(text_, words_);
  example_.labels.clear();
  for (const auto& labels : labels_) example_.labels.push_back(views(bytes_, labels));
}

void LabelledColumns::set_fault(std::string what) {
  fault_ = ExampleFault{fmt::format("{}:{}", file_.path(), file_.line_number()), std::move(what)};
}

}  // namespace weft::data
