// Translation of texts.
#ifndef WEFT_TRANSLATE_H_
#define WEFT_TRANSLATE_H_

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/array.h"
#include "weft/export.h"
#include "weft/line.h"
#include "weft/model.h"
#include "weft/options.h"
#include "weft/report.h"
#include "weft/stream.h"

namespace weft {

// One of the translations of a text.
struct TranslationHypothesis {
  std::string text;
  double log_probability = 0;
  double score = 0;                       // with the length penalty
  std::vector<double> token_scores = {};  // log p of each token, with `word-scores`
  std::vector<Array> alignments = {};     // with `alignment`: [target, source] for each piece
                                          // into which a long source is split
};

struct Translation {
  std::string text;  // of the best hypothesis
  // The best first: one hypothesis, or with `n-best` those of the whole beam.
  std::vector<TranslationHypothesis> hypotheses;
  // As `weft translate` writes it, without its last line break: the text and what `word-scores`
  // and `alignment` add, or with `n-best` a line for each hypothesis, with the number of the input.
  std::string written = {};
  std::optional<Fault> fault = {};  // why there is no text
};

// Options: those of `weft translate` for search, sampling and constraints.
class WEFT_API Translator {
 public:
  // Throws OptionError for a model of another kind.
  explicit Translator(const Model& model, const Options& options = {});
  // An ensemble of models with the same vocabularies.
  explicit Translator(const std::vector<Model>& models, const Options& options = {});
  static const OptionSchema& schema();

  // One translation for each text, in order.
  std::vector<Translation> translate(std::span<const std::string> texts,
                                     Report* report = nullptr) const;
  std::vector<Translation> translate(std::span<const Line> lines, Report* report = nullptr) const;
  // Of texts in braces: translate({"a", "b"}).
  std::vector<Translation> translate(std::initializer_list<std::string> texts,
                                     Report* report = nullptr) const {
    return translate(std::span(texts.begin(), texts.size()), report);
  }
  Translation translate(const std::string& text) const {
    return std::move(translate(std::span(&text, 1)).front());
  }
  // Passes the text on word by word, as soon as each is decided.
  Translation stream(std::string_view text, const OnText& on_text) const;
  Translation stream(const Line& line, const OnText& on_text, Report* report = nullptr) const;
  // Throws OptionError for what cannot be streamed: with `n-best`, and models that predict all
  // positions at once.
  void check_stream() const;
  // Throws FormatError unless as many lines were translated as `constraints` has lines of phrases.
  void check_constraints_used(const Report& report) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace weft

#endif  // WEFT_TRANSLATE_H_
