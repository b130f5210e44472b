// Text with labels: one for each word, or some for a whole line.
#ifndef WEFT_DATA_LABELS_LABELLED_TEXT_H_
#define WEFT_DATA_LABELS_LABELLED_TEXT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/text/text_file.h"

namespace weft::data {

// How examples and their fields, numbered from 0, stand in a text.
enum class LabelledLayout {
  kTsv,        // an example a line, fields between tabs
  kFiles,      // an example a line, a file for each field
  kFirstWord,  // an example a line, field 0 its first word and field 1 the rest
  kJsonl,      // an example a line, an array of JSON of strings: fields with tabs and line breaks
  kConll,      // a word a line, a blank line after each sentence; fields between tabs, or between
               // spaces where the line has no tab; -DOCSTART- lines are skipped
  kConllu,     // the same with tabs alone; comments (#), words that others make up (1-2) and empty
               // nodes (1.1) are skipped
};
// "tsv", "files", "first-word", "jsonl", "conll" or "conllu"; throws OptionError for another name.
LabelledLayout labelled_layout_named(std::string_view name);

inline constexpr int64_t kNoField = -1;

struct LabelField {
  int64_t field = 1;
  bool is_of_line = false;      // labels of the whole line; else one for each word
  std::string separators = {};  // characters between several labels of a line; empty: it has one
};

struct LabelledTextOptions {
  LabelledLayout layout = LabelledLayout::kTsv;
  int64_t text_field = 0;
  int64_t pair_field = kNoField;    // a second text
  int64_t weight_field = kNoField;  // of the example
  std::vector<LabelField> labels = {};
  size_t max_line_bytes = kMaxLineBytes;  // also of a sentence of one word a line
  StandardInput standard_input = StandardInput::kKept;
};

struct LabelledExample {
  std::string_view text;       // unchanged; of one word a line, the words with spaces between them
  std::string_view pair = {};  // the second text, where there are two
  float weight = 1;            // that of its weight field
  std::vector<std::string_view> words;  // one a line unchanged, else between white space
  // For each LabelField: a label for each word, or those of the line, each once.
  std::vector<std::vector<std::string_view>> labels;
};

// What is wrong with an example: where ("file:line"), and what was expected in place of what.
struct ExampleFault {
  std::string where, what;
};

// Reads examples one by one.
class LabelledText {
 public:
  virtual ~LabelledText() = default;

  // Goes to the next example; false at the end. Throws as TextFile does, and FormatError where one
  // of the files ends before another.
  virtual bool next() = 0;
  // Whether next() would return without waiting for more of a pipe or a terminal.
  virtual bool is_ready() = 0;
  // The current example, until the next call of next() or is_ready(); not to be read where it has a
  // fault.
  const LabelledExample& example() const { return example_; }
  // A line over the limit or not in UTF-8, too few fields, no words, another number of labels, or a
  // weight that is not a number from 0 to 1e6.
  const std::optional<ExampleFault>& fault() const { return fault_; }
  // "file:line" of a word of the example.
  virtual std::string where(int64_t word = 0) const = 0;

 protected:
  LabelledExample example_;
  std::optional<ExampleFault> fault_;
};

// A file, or with kFiles one for each field; "-" is standard input, and .gz is read as such. Throws
// OptionError for another number of files and for fields that the layout does not have.
std::unique_ptr<LabelledText> open_labelled_text(const std::vector<std::string>& files,
                                                 const LabelledTextOptions& options);

// Calls take(text) for each example. Throws FormatError for the first that has a fault.
void read_labelled_text(const std::vector<std::string>& files, const LabelledTextOptions& options,
                        const std::function<void(const LabelledText&)>& take);

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_LABELLED_TEXT_H_
