// Sentence pairs of one corpus, read side by side.
#ifndef WEFT_DATA_CORPUS_PARALLEL_TEXT_H_
#define WEFT_DATA_CORPUS_PARALLEL_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/options.h"
#include "weft/data/text/text_file.h"

namespace weft::data {

// The files of one corpus: one for each field, or one file with a tab-separated column for each
// (more columns than fields are left alone).
struct CorpusFiles {
  std::vector<std::string> files;
  bool tsv = false;
  double weight = 1;  // Part::weight, --train-weights
  StandardInput standard_input = StandardInput::kKept;

  std::string name() const;  // "train.en + train.de"
};

// What may be wrong with a line of the file.
enum class LineFault { kNone, kOverLong, kBadUtf8, kFewColumns };

class ParallelText {
 public:
  // Throws as TextFile does.
  ParallelText(const CorpusFiles& files, int64_t fields, size_t max_line_bytes = kMaxLineBytes);

  // Goes to the next line of every field; false at the end. Throws FormatError naming the files and
  // their numbers of lines where one field ends before another.
  bool next();
  // Whether next() would return without waiting for more of a pipe or a terminal.
  bool is_ready();
  // The fields of the current line, until the next call of next() or is_ready(). Of a line with a
  // fault they are what can be read: nothing of an over-long field, repaired UTF-8, empty where a
  // column is missing.
  const std::vector<std::string_view>& fields() const { return fields_; }
  LineFault fault() const { return fault_; }
  int64_t line() const { return line_; }  // from 0

 private:
  void split_columns();
  void check_text();
  [[noreturn]] void fail_lengths();

  std::vector<TextFile> files_;
  std::vector<std::string_view> fields_;
  std::vector<std::string> repaired_;
  LineFault fault_ = LineFault::kNone;
  int64_t line_ = -1;
  bool tsv_;
};

inline constexpr int64_t kSides = 2;  // fields of a sentence pair: source and target

// The corpora of --train-sets. Throws OptionError when there is none, or the files do not make
// whole pairs, or the weights are not one a corpus and above 0 in sum.
std::vector<CorpusFiles> training_files(const DataOptions& options);

}  // namespace weft::data

#endif  // WEFT_DATA_CORPUS_PARALLEL_TEXT_H_
