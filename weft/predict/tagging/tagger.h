// Labels for texts by trained taggers: one for each word, whatever the words are.
#ifndef WEFT_PREDICT_TAGGING_TAGGER_H_
#define WEFT_PREDICT_TAGGING_TAGGER_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/model_file/tagger.h"
#include "weft/predict/line_encoder.h"
#include "weft/predict/tagging/evaluation.h"

namespace weft::predict {

// What becomes of texts; nothing of it but max_length changes a result.
struct TaggingRule {
  int64_t max_length = 1000;  // tokens that the model reads at a time, without special symbols
  int64_t mini_batch = 64;    // such windows
  bool with_probabilities = false;
  data::MisplacedTags misplaced_tags = data::MisplacedTags::kRepair;  // not kRefuse
};

// The labels of a text without words are empty, those of the text as a whole, too; likewise where
// the models' scores are not finite.
struct TaggedText {
  struct Column {
    std::vector<std::string> labels;  // of each word, or the one of the text
    std::vector<float> probabilities;
  };
  std::vector<Column> columns;
  bool is_finite = true;

  TextLabels labels() const;  // views of these
};

// A text of more tokens than max_length is tagged in windows, at a word's beginning each, that do
// not see each other; the label of such a text is that of its first window. A word of more tokens
// than that is read in part.
class Tagger {
 public:
  // Models that tag together: they have the same vocabulary and labels, and outlive it.
  Tagger(std::span<const model_file::TaggerSession> sessions, TaggingRule rule);

  // Of each text the labels of its words, in order.
  std::vector<TaggedText> tag(std::span<const std::vector<std::string_view>> texts);
  // Counts texts; how lines become texts, and the faults of lines, are for the caller to count.
  LineReport& report() { return report_; }

 private:
  // Words of a text that the models read at a time.
  struct Window {
    size_t text = 0, first_word = 0;
    std::span<const std::string_view> words;
  };

  void add_windows(size_t text, std::span<const std::string_view> words);
  void run(const data::Tokens& tokens, std::span<const size_t> numbers,
           std::vector<TaggedText>& out) const;
  models::TagScores scores(const data::Tokens& tokens, std::span<const size_t> numbers) const;
  void repair(TaggedText& text) const;

  std::span<const model_file::TaggerSession> sessions_;
  TaggingRule rule_;
  data::TokenRule tokens_;
  std::vector<bool> is_bio_;  // of each column of words
  LineReport report_;
  std::vector<Window> windows_;
  std::vector<data::EncodedText> encoded_;  // of each window
};

// Throws OptionError, naming --word-labels, for another number of fields than the model has
// columns.
void check_columns(const data::LabelledFields& fields, const model_file::TaggerSession& session);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TAGGING_TAGGER_H_
