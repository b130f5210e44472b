// Translation of text, line by line.
#ifndef WEFT_PREDICT_TRANSLATION_TRANSLATOR_H_
#define WEFT_PREDICT_TRANSLATION_TRANSLATOR_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/decode/draft/drafter.h"
#include "weft/decode/options.h"
#include "weft/decode/request.h"
#include "weft/decode/search/shortlist.h"
#include "weft/predict/predictor.h"
#include "weft/predict/translation/constraint_lines.h"
#include "weft/predict/translation/draft_memory.h"
#include "weft/predict/translation/incremental_detokeniser.h"
#include "weft/predict/translation/translation.h"

namespace weft::model_file {
struct TranslatorSession;
}

namespace weft::predict {

class Translator {
 public:
  using Request = decode::Request;  // of a piece of a line; a request is used up when it is run
  using Answer = TranslatedPiece;
  using Result = TranslatedLine;

  // The sessions have to outlive it; several, of equal vocabularies
  // (model_file::check_vocabularies), are an ensemble. No translation holds one of the `banned`
  // words or phrases, as the target vocabulary tokenises them. Throws OptionError for options that
  // contradict each other and for a wrong number of weights.
  Translator(std::span<const model_file::TranslatorSession> sessions,
             const decode::DecodeOptions& options, const std::vector<std::string>& banned = {});
  Translator(const model_file::TranslatorSession& session, const decode::DecodeOptions& options,
             const std::vector<std::string>& banned = {});

  // Throws OptionError, naming an `option` of left-to-right decoding, where the model predicts all
  // positions at once.
  void check_left_to_right(std::string_view option) const;

  // A line over the length limit is split at sentence ends, a request for each piece; a prefix and
  // constraints are those of its first piece.
  Prepared<Request> prepare(std::span<const Line> lines, Report& report) const;
  // Of tokenised sources, no longer than the model reads, without their end symbols.
  Prepared<Request> prepare(std::span<const std::vector<int32_t>> sources, Report& report) const;
  // `on_stable_prefix` receives tokens as soon as they are decided, of requests by their index.
  std::vector<Answer> run(std::span<Request> requests,
                          const decode::OnStablePrefix& on_stable_prefix = {}) const;
  // The one hypothesis of a line in pieces joins the best of each.
  std::vector<Result> finish(const Prepared<Request>& prepared, std::span<Answer> answers,
                             Report& report) const;
  int64_t most_prepared() const { return kAnyNumber; }

  // Translates a line, and passes on its text word by word, as soon as each is decided. Not with
  // --n-best.
  TranslatedLine stream(const Line& line, Report& report,
                        const IncrementalDetokeniser::Callback& callback) const;

  // From now on translations hold only tokens that the list has for their sources.
  void use_shortlist(decode::Shortlist list);

  // From now on tokens are drafted and verified, which changes no translation: what the memory has
  // of similar sources, or those of a smaller model with the same vocabularies, which `path` names.
  // Throws OptionError for a search with several hypotheses or a coverage penalty, for models that
  // do not fit together, and for a second one.
  void draft_by(DraftMemory memory);
  void draft_by(std::shared_ptr<const model_file::TranslatorSession> small, std::string_view path);

  // From now on the translation of line i, counted from 0, or of its first piece, holds the phrases
  // of line i. Translations that lack some are counted; a line without a line of phrases is an
  // error (FormatError). Throws OptionError with sampling, and FormatError for phrases of more
  // tokens than a translation may have, or that are banned.
  void use_constraints(ConstraintLines lines);
  // Throws FormatError unless the number of lines translated is that of the lines of phrases.
  void check_constraints_used(const Report& report) const;

  const decode::DecodeOptions& options() const { return options_; }
  // Lines to read before they are translated together.
  int64_t lines_together() const { return options_.mini_batch * options_.maxi_batch; }

 private:
  const model_file::TranslatorSession& first() const { return sessions_.front(); }
  bool is_left_to_right() const;
  std::vector<std::vector<int32_t>> encode(const std::string& text, Report& report) const;
  std::vector<int32_t> encode_prefix(const std::string& text) const;
  Request request_of(std::vector<int32_t> source) const;
  void add(size_t line, Request request, Prepared<Request>& out, Report& report) const;
  void add_line(size_t number, const std::string& text, Prepared<Request>& out,
                Report& report) const;
  void limit_to_shortlist(std::span<const decode::Phrase> phrases, decode::Request& request) const;
  void check_draft(std::string_view option) const;
  std::unique_ptr<decode::Drafter> drafter() const;  // null: no drafts
  void count_notes(std::span<const Answer> pieces, int64_t line, Report& report) const;

  std::span<const model_file::TranslatorSession> sessions_;  // all with the first's vocabularies
  decode::DecodeOptions options_;
  decode::ModelTraits traits_;  // of a left-to-right model
  std::vector<int32_t> forbidden_;
  std::optional<decode::BannedPhrases> banned_;
  std::optional<decode::Shortlist> shortlist_;
  std::optional<ConstraintLines> constraints_;
  std::optional<DraftMemory> memory_;
  std::shared_ptr<const model_file::TranslatorSession> draft_;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TRANSLATION_TRANSLATOR_H_
