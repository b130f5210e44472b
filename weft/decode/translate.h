// Translation of text, line by line: N lines in, N lines out, in their order.
#ifndef WEFT_DECODE_TRANSLATE_H_
#define WEFT_DECODE_TRANSLATE_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/decode/alignment.h"
#include "weft/decode/constraint_lines.h"
#include "weft/decode/growing_text.h"
#include "weft/decode/hypothesis.h"
#include "weft/decode/options.h"
#include "weft/decode/sentences.h"
#include "weft/decode/shortlist.h"
#include "weft/infer/model_file.h"

namespace weft::decode {

// What became of the lines.
struct TranslationReport {
  int64_t lines = 0;
  int64_t empty = 0;         // without a token; their translation is empty
  int64_t over_long = 0;     // over the limit in bytes; their translation is empty
  int64_t bad_utf8 = 0;      // their translation is empty
  int64_t split = 0;         // longer than what is translated: in pieces, at sentence ends
  int64_t cropped = 0;       // with a sentence longer than what is translated: its end is lost
  int64_t unfinished = 0;    // translations cut off at their maximum length
  int64_t incomplete = 0;    // translations without all that they had to hold
  int64_t with_unknown = 0;  // lines with a token that the vocabulary does not have

  int64_t source_tokens = 0;  // that the model read, end symbols included
  int64_t output_tokens = 0;  // of all hypotheses written, an end symbol for each that has one

  // Lines that were not translated whole and at once; one counts for each thing that befell it.
  int64_t faults() const {
    return over_long + bad_utf8 + split + cropped + unfinished + incomplete;
  }
  // "120 lines: 2 empty, 1 not UTF-8 (left empty), 3 with unknown tokens"
  std::string text() const;
};

struct SourceLine {
  std::string text;           // without its line break
  bool is_over_long = false;  // over the limit in bytes: never translated
};

// Of one thread at a time: it counts lines. Several threads have a translator each, which may share
// their sessions.
class Translator {
 public:
  // The sessions have to outlive it; several of equal vocabularies (infer::check_vocabularies)
  // translate together, as an ensemble. No translation holds one of the `banned` words or phrases,
  // as the target's vocabulary cuts them. Throws OptionError for options that contradict each other
  // and for a wrong number of weights.
  Translator(std::span<const infer::Session> sessions, const DecodeOptions& options,
             const std::vector<std::string>& banned = {});
  Translator(const infer::Session& session, const DecodeOptions& options,
             const std::vector<std::string>& banned = {})
      : Translator(std::span(&session, 1), options, banned) {}

  // Throws OptionError, naming an `option` for translations that come about token by token, where
  // the model predicts all positions at once.
  void check_left_to_right(std::string_view option) const;

  // An output for each line, without a last line break: the translation, or with --n-best its
  // hypotheses, a line each, numbered from the first line that this translator saw, at 0. A line's
  // output does not depend on the others. A source that is too long is translated in pieces, cut at
  // its sentence ends: its one hypothesis is the best of each, joined (data::join_sentences), with
  // the sums of their scores; a prefix is that of the first piece.
  // Of a single line, and without --n-best, `tell` gets the output as soon as it is decided, word
  // by word.
  std::vector<std::string> translate(std::span<const SourceLine> lines,
                                     const GrowingText::Tell& tell = {});

  // From now on translations hold no tokens but those that the list has for their sources.
  void use_shortlist(Shortlist list);

  // From now on translation i, from 0 when the translator is new or starts again, holds the phrases
  // of line i, or those of its first piece do. What cannot be is counted; a line without a line of
  // phrases is an error (FormatError). Throws OptionError where translations are drawn, FormatError
  // for a line of more tokens than a translation may have, or that demands what is banned.
  void use_constraints(ConstraintLines lines);
  // Throws FormatError unless as many lines were translated as there are lines of phrases.
  void check_constraints_used() const;

  // Lines to read before they are translated together.
  int64_t lines_together() const { return options_.mini_batch * options_.maxi_batch; }
  // Of all lines so far.
  const TranslationReport& report() const { return report_; }
  // Numbers and counts lines from 0 again.
  void restart() { report_ = {}; }

 private:
  struct Translation {
    std::string text;
    double log_probability = 0;
    double score = 0;
    std::vector<double> token_scores = {};
    std::string alignment = {};
  };
  using Alignments = std::vector<std::vector<Alignment>>;

  std::vector<std::vector<int32_t>> encode(const SourceLine& line);
  // Adds the line's pieces and what is asked of each; returns how many there are.
  size_t ask(const SourceLine& line, int64_t number, data::Tokens& sources, Demands& demands);
  void count_incomplete(std::span<const NBest> found, std::span<const size_t> counts);
  std::vector<int32_t> encode_prefix(const SourceLine& line) const;
  std::vector<Translation> join(std::span<const NBest> pieces,
                                std::span<const std::vector<Alignment>> alignments) const;
  // Outputs of the lines, whose pieces, so many a line, stand in `found`.
  std::vector<std::string> show_all(const data::Tokens& sources, std::span<NBest> found,
                                    std::span<const size_t> counts);
  std::string show(const std::vector<Translation>& translations, int64_t line) const;
  std::string text_of(std::span<const Alignment> pieces) const;
  std::string text_of(std::span<const int32_t> tokens) const;

  const infer::Session* session_;  // the first: whose vocabularies are all others' too
  std::vector<const models::Seq2Seq*> models_;
  DecodeOptions options_;
  Demands demands_;  // of every line
  std::optional<Shortlist> shortlist_;
  std::optional<ConstraintLines> constraints_;
  std::vector<AttentionHead> heads_;  // none: no alignment
  TranslationReport report_;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_TRANSLATE_H_
