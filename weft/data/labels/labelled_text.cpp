#include "weft/data/labels/labelled_text.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/data/labels/labelled_columns.h"
#include "weft/data/labels/labelled_lines.h"

namespace weft::data {
namespace {

constexpr std::string_view kWhere = "labelled text";

bool has_a_word_a_line(LabelledLayout layout) {
  return layout == LabelledLayout::kConll || layout == LabelledLayout::kConllu;
}

void check(const std::vector<std::string>& files, const LabelledTextOptions& options) {
  std::vector<int64_t> fields{options.text_field};
  if (options.pair_field != kNoField) fields.push_back(options.pair_field);
  if (options.pair_field != kNoField && has_a_word_a_line(options.layout)) {
    fail<OptionError>(kWhere, "pairs of texts; expected a layout of one example a line");
  }
  if (options.weight_field != kNoField) fields.push_back(options.weight_field);
  if (options.weight_field != kNoField && has_a_word_a_line(options.layout)) {
    fail<OptionError>(kWhere, "weights of texts; expected a layout of one example a line");
  }
  for (const LabelField& label : options.labels) {
    fields.push_back(label.field);
    if (label.is_of_line && has_a_word_a_line(options.layout)) {
      fail<OptionError>(kWhere, "labels of a whole line; expected a layout of one example a line");
    }
    if (!label.is_of_line && options.layout == LabelledLayout::kFirstWord) {
      fail<OptionError>(kWhere, "labels of words; expected another layout than first-word");
    }
  }
  const bool has_files = options.layout == LabelledLayout::kFiles;
  if (files.empty() || (!has_files && files.size() != 1)) {
    fail<OptionError>(kWhere, "{} files; expected {}", files.size(),
                      has_files ? "one for each field" : "one");
  }
  int64_t limit = int64_t{1} << 20;
  if (has_files) limit = std::ssize(files);
  if (options.layout == LabelledLayout::kFirstWord) limit = 2;
  for (const int64_t field : fields) {
    if (field < 0 || field >= limit) {
      fail<OptionError>(kWhere, "field {}; expected 0 to {}", field, limit - 1);
    }
  }
  std::ranges::sort(fields);
  if (std::ranges::adjacent_find(fields) != fields.end()) {
    fail<OptionError>(kWhere, "field {} is named twice", *std::ranges::adjacent_find(fields));
  }
}

}  // namespace

LabelledLayout labelled_layout_named(std::string_view name) {
  if (name == "tsv") return LabelledLayout::kTsv;
  if (name == "files") return LabelledLayout::kFiles;
  if (name == "first-word") return LabelledLayout::kFirstWord;
  if (name == "jsonl") return LabelledLayout::kJsonl;
  if (name == "conll") return LabelledLayout::kConll;
  if (name == "conllu") return LabelledLayout::kConllu;
  fail<OptionError>(kWhere, "expected tsv, files, first-word, jsonl, conll or conllu, got {}",
                    quote(name));
}

std::unique_ptr<LabelledText> open_labelled_text(const std::vector<std::string>& files,
                                                 const LabelledTextOptions& options) {
  check(files, options);
  if (has_a_word_a_line(options.layout)) {
    return std::make_unique<LabelledColumns>(files.front(), options);
  }
  return std::make_unique<LabelledLines>(files, options);
}

void read_labelled_text(const std::vector<std::string>& files, const LabelledTextOptions& options,
                        const std::function<void(const LabelledText&)>& take) {
  const std::unique_ptr<LabelledText> text = open_labelled_text(files, options);
  while (text->next()) {
    if (text->fault()) fail<FormatError>(text->fault()->where, "{}", text->fault()->what);
    take(*text);
  }
}

}  // namespace weft::data
