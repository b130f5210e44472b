// Translation of text, line by line: N lines in, N lines out, in order.
#ifndef WEFT_PREDICT_TRANSLATION_TRANSLATOR_H_
#define WEFT_PREDICT_TRANSLATION_TRANSLATOR_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/decode/options.h"
#include "weft/decode/search/shortlist.h"
#include "weft/decode/sentences.h"
#include "weft/model_file/translator.h"
#include "weft/predict/line.h"
#include "weft/predict/translation/constraint_lines.h"
#include "weft/predict/translation/incremental_detokeniser.h"
#include "weft/predict/translation/text_output.h"
#include "weft/predict/translation/text_report.h"

namespace weft::predict {

// For one thread at a time, as it counts lines. Several threads have a translator each, and may
// share their sessions.
class Translator {
 public:
  // The sessions have to outlive it; several, of equal vocabularies
  // (model_file::check_vocabularies), are an ensemble. No translation holds one of the `banned`
  // words or phrases, as the target vocabulary tokenises them. Throws OptionError for options that
  // contradict each other and for a wrong number of weights.
  Translator(std::span<const model_file::TranslatorSession> sessions,
             const decode::DecodeOptions& options, const std::vector<std::string>& banned = {});
  Translator(const model_file::TranslatorSession& session, const decode::DecodeOptions& options,
             const std::vector<std::string>& banned = {})
      : Translator(std::span(&session, 1), options, banned) {}

  // Throws OptionError, naming an `option` of left-to-right decoding, where the model predicts all
  // positions at once.
  void check_left_to_right(std::string_view option) const;

  // An output for each line, without a last line break: the translation, or with --n-best its
  // hypotheses, a line each, with the line's number, counted from 0 since this translator was made.
  // A line's output does not depend on the others. A source over the length limit is split at
  // sentence ends: its one hypothesis joins the best of each piece (data::join_sentences), with the
  // sums of their scores; a prefix is that of the first piece. A line whose scores are not finite
  // is counted, and its output is that of an empty line. With a `callback`, which needs a single
  // line and no --n-best, it receives the output word by word, as soon as each is decided.
  std::vector<std::string> translate(std::span<const Line> lines,
                                     const IncrementalDetokeniser::Callback& callback = {});

  // From now on translations hold only tokens that the list has for their sources.
  void use_shortlist(decode::Shortlist list);

  // From now on the translation of line i, counted from 0, or of its first piece, holds the phrases
  // of line i. Translations that lack some are counted; a line without a line of phrases is an
  // error (FormatError). Throws OptionError with sampling, and FormatError for phrases of more
  // tokens than a translation may have, or that are banned.
  void use_constraints(ConstraintLines lines);
  // Throws FormatError unless the number of lines translated is that of the lines of phrases.
  void check_constraints_used() const;

  // Lines to read before they are translated together.
  int64_t lines_together() const { return options_.mini_batch * options_.maxi_batch; }
  // Of all lines so far.
  const TextReport& report() const { return report_; }
  // Numbers and counts lines from 0 again.
  void restart() { report_ = {}; }

 private:
  struct Work {
    data::Tokens sources;                   // of all pieces
    std::vector<decode::Request> requests;  // likewise
    std::vector<size_t> counts;             // pieces of each line
  };

  bool is_left_to_right() const { return session_->model.options.is_left_to_right(); }
  std::vector<std::vector<int32_t>> encode(const Line& line);
  std::vector<int32_t> encode_prefix(const Line& line) const;
  void add_line(const Line& line, int64_t number, Work& work);
  void limit_to_shortlist(std::span<const decode::Phrase> phrases, decode::Request& request) const;
  std::vector<decode::NBest> decode_all(Work& work, const decode::OnDecided& on_decided) const;
  void count_incomplete(std::span<const decode::NBest> found, std::span<const size_t> counts);
  std::vector<std::string> outputs(const Work& work, std::span<decode::NBest> found);

  const model_file::TranslatorSession* session_;  // the first; all have its vocabularies
  std::vector<const models::Seq2Seq*> models_;
  decode::DecodeOptions options_;
  TextOutput output_;
  std::vector<int32_t> forbidden_;
  std::optional<decode::BannedPhrases> banned_;
  std::optional<decode::Shortlist> shortlist_;
  std::optional<ConstraintLines> constraints_;
  std::vector<decode::AttentionHead> heads_;  // none: no alignment
  TextReport report_;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TRANSLATION_TRANSLATOR_H_
