#include "weft/data/corpus/parallel_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"

namespace weft::data {

std::string CorpusFiles::name() const { return fmt::format("{}", fmt::join(files, " + ")); }

ParallelText::ParallelText(const CorpusFiles& files, int64_t fields, size_t max_line_bytes)
    : fields_(fields), repaired_(fields), tsv_(files.tsv) {
  const size_t expected = tsv_ ? 1 : fields_.size();
  if (files.files.size() != expected) {
    fail<OptionError>(files.name(), "expected {} files for {} fields, got {}", expected, fields,
                      files.files.size());
  }
  for (const std::string& path : files.files) {
    files_.emplace_back(path, max_line_bytes, files.standard_input);
  }
}

bool ParallelText::is_ready() {
  return std::ranges::all_of(files_, [](TextFile& file) { return file.is_ready(); });
}

bool ParallelText::next() {
  const int64_t ended = std::ranges::count_if(files_, [](TextFile& f) { return !f.next(); });
  if (ended > 0) {
    if (ended < std::ssize(files_)) fail_lengths();
    return false;
  }
  ++line_;
  fault_ = LineFault::kNone;
  for (const TextFile& file : files_) {
    if (file.is_too_long()) fault_ = LineFault::kOverLong;
  }
  if (tsv_) {
    split_columns();
  } else {
    std::ranges::transform(files_, fields_.begin(), [](const TextFile& f) { return f.line(); });
  }
  check_text();
  return true;
}

void ParallelText::split_columns() {
  std::string_view rest = files_[0].line();
  bool is_missing = false;
  for (std::string_view& field : fields_) {
    if (is_missing && fault_ == LineFault::kNone) fault_ = LineFault::kFewColumns;
    const size_t tab = rest.find('\t');
    field = rest.substr(0, tab);
    is_missing = tab == rest.npos;
    rest = is_missing ? std::string_view() : rest.substr(tab + 1);
  }
}

void ParallelText::check_text() {
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (valid_utf8(fields_[i])) continue;
    if (fault_ == LineFault::kNone) fault_ = LineFault::kBadUtf8;
    repaired_[i] = repair_utf8(fields_[i]);
    fields_[i] = repaired_[i];
  }
}

void ParallelText::fail_lengths() {
  std::vector<std::string> names;
  std::vector<int64_t> lines;
  for (TextFile& file : files_) {
    while (file.next()) {
    }
    names.push_back(file.path());
    lines.push_back(file.line_number());
  }
  fail<FormatError>(fmt::format("{}", fmt::join(names, " + ")),
                    "files of different length; expected as many lines in each, got {}",
                    fmt::format("{}", fmt::join(lines, " and ")));
}

std::vector<CorpusFiles> training_files(const DataOptions& options) {
  const auto& sets = options.train_sets;
  if (sets.empty()) fail<OptionError>("--train-sets", "none given; expected training files");
  const size_t files = options.tsv ? 1 : static_cast<size_t>(kSides);
  if (sets.size() % files != 0) {
    fail<OptionError>("--train-sets",
                      "expected {} files for each corpus, source and target, got {} files in all",
                      files, sets.size());
  }
  std::vector<CorpusFiles> corpora;
  for (auto at = sets.begin(); at != sets.end(); at += files) {
    corpora.push_back({{at, at + files}, options.tsv});
  }
  const auto& weights = options.train_weights;
  if (!weights.empty() && weights.size() != corpora.size()) {
    fail<OptionError>("--train-weights", "expected one for each corpus: {}, got {}", corpora.size(),
                      weights.size());
  }
  for (const double weight : weights) {
    if (!(weight >= 0 && weight <= 1e6)) {
      fail<OptionError>("--train-weights", "out of range; expected 0 to 1000000, got {}", weight);
    }
  }
  if (!weights.empty() && std::accumulate(weights.begin(), weights.end(), 0.0) <= 0) {
    fail<OptionError>("--train-weights", "all are 0; expected at least one above");
  }
  for (size_t i = 0; i < weights.size(); ++i) corpora[i].weight = weights[i];
  return corpora;
}

}  // namespace weft::data
