// Log-probabilities of texts by a language model, and of translations by a translator.
#ifndef WEFT_SCORE_H_
#define WEFT_SCORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/export.h"
#include "weft/model.h"
#include "weft/options.h"
#include "weft/report.h"

namespace weft {

struct TextScore {
  double log_probability = 0;  // nats, of the tokens that are scored
  int64_t tokens = 0;          // that are scored
  int64_t bytes = 0;           // of their text

  WEFT_API double perplexity() const;  // for each token
};
struct ScoredText {
  // Of the text, or of each continuation; none with a fault.
  std::vector<TextScore> scores = {};
  std::optional<Fault> fault = {};
};

// Options: `mini-batch-words`, the tokens that the model reads together.
class WEFT_API Scorer {
 public:
  // Throws OptionError for a model of another kind.
  explicit Scorer(const Model& model, const Options& options = {});

  // One result for each text, in order: the tokens of a text, but for its first where the model's
  // texts have no begin symbol.
  std::vector<ScoredText> score(std::span<const std::string> texts, Report* report = nullptr) const;
  // Of each continuation of a prompt, given the prompt.
  ScoredText score(const std::string& prompt, std::span<const std::string> continuations) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

struct TextPair {
  std::string source, target;
};

// Options: `max-length`, of a source and of a target in tokens, and `mini-batch-words`, the target
// tokens that the model reads together.
class WEFT_API TranslationScorer {
 public:
  // Reads the model's file again, as float32. Throws OptionError for a model of another kind, and
  // for a translator that is not of --generation left-to-right; FileError, FormatError.
  explicit TranslationScorer(const Model& model, const Options& options = {});

  // One result for each pair, in order: log p(target | source), of the tokens of the target and its
  // end symbol. The end of a text that is too long is not read.
  std::vector<ScoredText> score(std::span<const TextPair> pairs, Report* report = nullptr) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace weft

#endif  // WEFT_SCORE_H_
