// Labels of the words of texts.
#ifndef WEFT_TAG_H_
#define WEFT_TAG_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/export.h"
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

// Options: `scores`, `invalid-tags`, `max-length`, `mini-batch`, `maxi-batch`, as of `weft tag`.
class WEFT_API Tagger {
 public:
  // Throws OptionError for a model of another kind.
  explicit Tagger(const Model& model, const Options& options = {});
  // Models with the same vocabulary and labels, which tag together.
  explicit Tagger(const std::vector<Model>& models, const Options& options = {});

  // One result for each text, in order; words are between white space.
  std::vector<TaggedText> tag(std::span<const std::string> texts, Report* report = nullptr) const;
  TaggedText tag(const std::string& text) const {
    return std::move(tag(std::span(&text, 1)).front());
  }
  // Of texts whose words are known.
  std::vector<TaggedText> tag(std::span<const std::vector<std::string>> texts,
                              Report* report = nullptr) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace weft

#endif  // WEFT_TAG_H_
