// Labels of the words of texts.
#ifndef WEFT_TAG_H_
#define WEFT_TAG_H_

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/export.h"
#include "weft/line.h"
#include "weft/model.h"
#include "weft/options.h"
#include "weft/report.h"

namespace weft {

struct TaggedText {
  // A kind of label: parts of speech, entities, or one label of the text as a whole.
  struct Column {
    std::vector<std::string> labels = {};   // of each word, or the one of the text
    std::vector<float> probabilities = {};  // with `scores`
  };
  std::vector<std::string> words;
  std::vector<Column> columns;
  std::optional<Fault> fault = {};  // why there are no labels
};

// The words of a text.
struct Words {
  std::vector<std::string> words = {};
  std::optional<Fault> fault = {};  // why they cannot be used; then there are none
};

// Options: `scores`, `invalid-tags`, `max-length`, `mini-batch`, `maxi-batch`, as of `weft tag`.
class WEFT_API Tagger {
 public:
  // Throws OptionError for a model of another kind.
  explicit Tagger(const Model& model, const Options& options = {});
  // Models with the same vocabulary and labels, which tag together.
  explicit Tagger(const std::vector<Model>& models, const Options& options = {});
  static const OptionSchema& schema();

  // One result for each text, in order; words are between white space.
  std::vector<TaggedText> tag(std::span<const std::string> texts, Report* report = nullptr) const;
  // Of texts in braces: tag({"a", "b"}).
  std::vector<TaggedText> tag(std::initializer_list<std::string> texts,
                              Report* report = nullptr) const {
    return tag(std::span(texts.begin(), texts.size()), report);
  }
  TaggedText tag(const std::string& text) const {
    return std::move(tag(std::span(&text, 1)).front());
  }
  // Of texts whose words are known.
  std::vector<TaggedText> tag(std::span<const std::vector<std::string>> texts,
                              Report* report = nullptr) const;
  std::vector<TaggedText> tag(std::span<const Words> texts, Report* report = nullptr) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// Splits a line into words at white space. A line that is not UTF-8 is split, too; its malformed
// bytes count as an unknown character.
WEFT_API Words words_of(const Line& line);

// Whether a line looks like text of the model's training, labels included: it has a label of the
// model in each field where that text has one. Then the `format` of LabelledWords that reads it;
// else, and of other formats than tsv, conll and conllu, "".
WEFT_API std::string labelled_format(const Model& tagger, std::string_view line);

// Reads the words of labelled text, without its labels. Options: `format` (tsv, files, first-word,
// jsonl, conll, conllu) and `text-field`; what is not given is as in the training of the model.
class WEFT_API LabelledWords {
 public:
  // "-" is standard input. Throws OptionError, FileError, FormatError.
  LabelledWords(const Model& tagger, const std::string& path, const Options& options = {});
  static const OptionSchema& schema();
  ~LabelledWords();
  LabelledWords(LabelledWords&&) noexcept;
  LabelledWords& operator=(LabelledWords&&) noexcept;

  // Reads the words of the next text; false where there is none. Throws FileError, FormatError.
  bool next(Words& words);
  // Whether next() would return without waiting for more of a pipe or a terminal.
  bool is_ready();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft

#endif  // WEFT_TAG_H_
