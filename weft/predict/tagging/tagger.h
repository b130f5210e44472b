// Labels for texts by trained taggers: one for each word, and those of the text.
#ifndef WEFT_PREDICT_TAGGING_TAGGER_H_
#define WEFT_PREDICT_TAGGING_TAGGER_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/labels/bio.h"
#include "weft/data/labels/labelled_corpus.h"
#include "weft/predict/batch_options.h"
#include "weft/predict/predictor.h"
#include "weft/predict/tagging/evaluation.h"
#include "weft/tag.h"

namespace weft::data {
struct LabelledFields;
}
namespace weft::model_file {
struct TaggerSession;
}
namespace weft::models {
struct TagScores;
}

namespace weft::predict {

struct TaggerOptions {
  std::string invalid_tags = "repair";
  int64_t max_length = 1000;
  BatchOptions batches = {};

  template <class V>
  void fields(V& v) {
    v("invalid-tags", invalid_tags,
      {.help = "a BIO tag I-X that follows neither B-X nor I-X: repair changes it to B-X, keep "
               "leaves it unchanged",
       .choices = "repair|keep",
       .alias = "misplaced-tags"});
    v("max-length", max_length,
      {.help = "tokens that the model reads at a time, without special symbols; a longer text is "
               "tagged in several windows, which is reported",
       .min = 1,
       .max = 1e6});
    batches.fields(v);
  }
};

// The labels of a text with a fault are empty, those of the text as a whole, too.
struct TaggedText {
  struct Column {
    std::vector<std::string> labels = {};  // of each word, or the one of the text
    std::vector<float> probabilities = {};
  };
  std::vector<Column> columns;
  std::optional<Fault> fault = {};

  TextLabels labels() const;  // views of these
};

// The most probable labels of each text of a batch that was scored.
std::vector<std::vector<TaggedText::Column>> best_labels(const model_file::TaggerSession& session,
                                                         const models::TagScores& scores,
                                                         bool with_probabilities);

// A text of more tokens than max_length is tagged in windows, at a word's beginning each, that do
// not see each other; the label of such a text is that of its first window. A word of more tokens
// than that is read in part.
class Tagger {
 public:
  // Words that the models read at a time, with their tokens.
  struct Request {
    std::span<const std::string> words;
    data::EncodedText encoded;
  };
  struct Answer {
    std::vector<TaggedText::Column> columns;  // the column of a text has one label
    bool is_finite = true;
  };
  using Result = TaggedText;

  // Models that tag together: they have the same vocabulary and labels, and outlive it.
  Tagger(std::span<const model_file::TaggerSession> sessions, TaggerOptions options,
         bool with_probabilities = false);

  // The texts have to outlive their requests.
  Prepared<Request> prepare(std::span<const Words> texts, Report& report) const;
  std::vector<Answer> run(std::span<Request> requests) const;
  std::vector<Result> finish(const Prepared<Request>& prepared, std::span<Answer> answers,
                             Report& report) const;
  int64_t most_prepared() const { return kAnyNumber; }

 private:
  void add_windows(size_t text, std::span<const std::string> words, Prepared<Request>& out,
                   Report& report) const;
  models::TagScores scores(std::span<const Request> requests,
                           std::span<const size_t> numbers) const;
  TaggedText join(std::span<Answer> windows) const;

  std::span<const model_file::TaggerSession> sessions_;
  TaggerOptions options_;
  bool with_probabilities_;
  data::TokenOptions tokens_;
  std::vector<bool> is_bio_;  // of each column of words
};

// Throws OptionError, naming --word-labels, for another number of fields than the model has
// columns.
void check_columns(const data::LabelledFields& fields, const model_file::TaggerSession& session);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TAGGING_TAGGER_H_
