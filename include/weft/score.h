// Log-probabilities of texts by a language model, and of translations by a translator.
#ifndef WEFT_SCORE_H_
#define WEFT_SCORE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/export.h"
#include "weft/line.h"
#include "weft/model.h"
#include "weft/options.h"
#include "weft/report.h"

namespace weft {

struct TextScore {
  double log_probability = 0;  // nats, of the tokens that are scored
  int64_t tokens = 0;          // that are scored
  int64_t bytes = 0;           // of their text

  WEFT_API double perplexity() const;  // for each token
  WEFT_API double bits_per_byte() const;
};
WEFT_API TextScore operator+(const TextScore& a, const TextScore& b);  // of both texts

struct ScoredText {
  // Of the text, or of each continuation; none with a fault.
  std::vector<TextScore> scores = {};
  std::optional<Fault> fault = {};
};

// Options: `tsv`, each line is a prompt and its continuations, with tabs between them and \n for a
// line break; `mini-batch-words`, the tokens that the model reads together.
class WEFT_API Scorer {
 public:
  // Throws OptionError for a model of another kind.
  explicit Scorer(const Model& model, const Options& options = {});
  static const OptionSchema& schema();

  // Returns one result for each text, in order. It covers all tokens of the text, or all but the
  // first if the model puts no begin symbol before texts.
  std::vector<ScoredText> score(std::span<const std::string> texts, Report* report = nullptr) const;
  std::vector<ScoredText> score(std::span<const Line> lines, Report* report = nullptr) const;
  // Of each continuation of a prompt, given the prompt.
  ScoredText score(const std::string& prompt, std::span<const std::string> continuations) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// Perplexity of whole documents, in chunks as llama.cpp has it or in windows as Transformers has
// it. Options: `context`, `stride`, `mini-batch-words`, as of `weft score --documents`.
class WEFT_API DocumentScorer {
 public:
  // Throws OptionError for a model of another kind, for a context over that of the model and for a
  // stride over the context.
  explicit DocumentScorer(const Model& model, const Options& options = {});
  static const OptionSchema& schema();

  // One score of the whole document.
  ScoredText score(const std::string& document, Report* report = nullptr) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

struct TextPair {
  std::string source, target;
};
struct ScoredTranslation {
  TextScore score = {};
  std::string alignment = {};       // with `alignment`, in place of the score
  std::optional<Fault> fault = {};  // why there is neither
};

// Options: `max-length`, of a source and of a target in tokens, `mini-batch-words`, the target
// tokens that the model reads together, and of files `tsv`, `alignment` and `alignment-heads`, as
// of `weft score`.
class WEFT_API TranslationScorer {
 public:
  // Reads the model's file again, as float32. Throws OptionError for a model of another kind, and
  // for a translator that is not of --generation left-to-right; FileError, FormatError.
  explicit TranslationScorer(const Model& model, const Options& options = {});
  // Of the model in a file.
  explicit TranslationScorer(const std::string& path, const Options& options = {});
  static const OptionSchema& schema();

  // One result for each pair, in order: log p(target | source), of the tokens of the target and its
  // end symbol. The end of a text that is too long is not read.
  std::vector<ScoredText> score(std::span<const TextPair> pairs, Report* report = nullptr) const;
  // Calls `on_pair` with the result of each pair, in order. The pairs are read from a source and a
  // target file, or with `tsv` from one file; "-" is standard input. Logs what is wrong with the
  // text. Returns false if a text was cropped, over-long, not UTF-8 or without its columns. Throws
  // FileError, FormatError.
  bool score_files(const std::vector<std::string>& files,
                   const std::function<void(const ScoredTranslation&)>& on_pair,
                   Report* report = nullptr) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace weft

#endif  // WEFT_SCORE_H_
