// Groups of texts, as token ids, whole in memory: what embedders train on.
#ifndef WEFT_DATA_SEQUENCES_TEXT_GROUPS_H_
#define WEFT_DATA_SEQUENCES_TEXT_GROUPS_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/dataset.h"
#include "weft/data/labels/labelled_corpus.h"

namespace weft::data {

// A line of a file: texts separated by tabs, and a score behind them where lines have one.
struct TextGroup {
  std::vector<std::string_view> texts;
  double score = 0;
};

// Calls take(group, where) for each line that is not empty. Throws what reading throws, and
// FormatError, naming file and line, for text that is not UTF-8, a line that is too long, fewer
// than two texts, a text without a word, a score that is not a finite number, and a number of
// texts that differs from the first line or, with scores, is not two.
void read_text_groups(
    const std::vector<std::string>& files, bool has_scores,
    const std::function<void(const TextGroup& group, const std::string& where)>& take);

// The lines of training of an embedder.
struct TextGroupSources {
  std::vector<std::string> groups = {};  // see read_text_groups()
  bool has_scores = false;               // in them
  std::vector<std::string> texts = {};   // plain text, a text a line: its examples are single texts
};

// Examples of `groups` all have the same number of texts, two or more. Examples of `texts` come
// after them and have one text; where there are groups, they have the same number of columns, and
// all columns but the first contain special symbols alone. A batch has a field of Tokens for each
// column, with special symbols, and, with scores, Labels whose values are the scores of the groups.
// Single texts come last in a batch.
class TextGroups : public Dataset {
 public:
  // Throws what read_text_groups() and read_plain_texts() throw, and FormatError where there is no
  // line.
  TextGroups(const TextGroupSources& files, const TokenOptions& tokens, const Tokeniser& tokeniser);

  int64_t size() const override { return std::ssize(examples_); }
  Cost cost(int64_t example) const override;  // in tokens of all texts
  Batch batch(std::span<const int64_t> examples) const override;
  uint64_t fingerprint() const override;

  bool has_scores() const { return has_scores_; }
  int64_t groups() const { return groups_; }    // the first examples
  int64_t columns() const { return columns_; }  // texts of an example
  const std::vector<int32_t>& text(int64_t example, int64_t column) const {
    return examples_[static_cast<size_t>(example)].texts[static_cast<size_t>(column)];
  }
  double score(int64_t example) const { return examples_[static_cast<size_t>(example)].score; }
  // "pairs.tsv: 1000 lines of 2 texts; 43210 tokens, unknown 0.1 %; 3 texts cropped"
  std::string report() const;

 private:
  struct Example {
    std::vector<std::vector<int32_t>> texts;
    double score = 0;
  };

  void add(EncodedText text, const Tokeniser& tokeniser, Example& example);

  std::string name_;
  bool has_scores_;
  int64_t groups_ = 0, columns_ = 0;
  std::vector<Example> examples_;
  int64_t tokens_ = 0, unknown_ = 0, cropped_ = 0;
};

}  // namespace weft::data

#endif  // WEFT_DATA_SEQUENCES_TEXT_GROUPS_H_
