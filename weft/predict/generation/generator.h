// Continues texts and conversations by a language model.
#ifndef WEFT_PREDICT_GENERATION_GENERATOR_H_
#define WEFT_PREDICT_GENERATION_GENERATOR_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/decode/draft/drafter.h"
#include "weft/decode/search/search.h"
#include "weft/model_file/language_model.h"
#include "weft/predict/generation/chat_format.h"
#include "weft/predict/generation/context_shift.h"
#include "weft/predict/generation/continuation.h"
#include "weft/predict/generation/generation_options.h"
#include "weft/predict/generation/prompt.h"
#include "weft/predict/predictor.h"
#include "weft/predict/translation/constraint_lines.h"
#include "weft/predict/translation/incremental_detokeniser.h"

namespace weft::predict {

// What a hypothesis adds to a prompt.
struct GeneratedText {
  std::string text;                       // without what ended it
  double log_probability = 0;             // of its tokens, and of the end symbol, if any
  int64_t tokens = 0;                     // end symbol included
  bool ended = true;                      // false: cut off at the longest length
  bool is_complete = true;                // false: it lacks phrases of the constraints
  std::vector<double> token_scores = {};  // log p of each, with --word-scores
  // The most probable ones in the place of each, with --top-logprobs.
  std::vector<std::vector<decode::ScoredToken>> top_tokens = {};
  decode::DraftCounts drafts = {};
};

struct GeneratedLine {
  std::vector<GeneratedText> texts;  // as many as samples, with a fault empty ones
  std::optional<Fault> fault = {};
  int64_t prompt_tokens = 0;

  std::string written() const;  // a line for each text, without the last line break
};

GeneratedText generated_text(const decode::Hypothesis& found, const Continuation& continuation);

class Generator {
 public:
  using Request = decode::Request;  // it is used up when it is run
  struct Answer {
    std::vector<GeneratedText> texts;
    int64_t prompt_tokens = 0;
    bool is_finite = true;
  };
  using Result = GeneratedLine;

  // The sessions and the format of conversations, which prompts of texts do without, have to
  // outlive it; `draft` is that of options.draft, where that is a model. Throws OptionError for
  // options that contradict each other and models that do not fit together.
  Generator(const model_file::LanguageModelSession& session, const GenerationOptions& options,
            const ChatFormat* chat = nullptr,
            const model_file::LanguageModelSession* draft = nullptr);
  // The same generator with a format of conversations.
  Generator with(const ChatFormat& chat) const;

  // A prompt that is too long for the context of the model has a fault, which says both lengths.
  // Throws OptionError for a conversation without a format.
  Prepared<Request> prepare(std::span<const Prompt> prompts, Report& report) const;
  // `on_stable_prefix` receives tokens as soon as they are decided, of requests by their index.
  std::vector<Answer> run(std::span<Request> requests,
                          const decode::OnStablePrefix& on_stable_prefix = {}) const;
  std::vector<Result> finish(const Prepared<Request>& prepared, std::span<Answer> answers,
                             Report& report) const;
  int64_t most_prepared() const { return kAnyNumber; }
  // Throws FormatError, once all inputs are read, unless there were as many as lines of
  // constraints.
  void check_constraints_used(const Report& report) const {
    if (constraints_) constraints_->check_lines(report.inputs);
  }

  // Continues a prompt, and passes on the text word by word, as soon as each is decided. Requires
  // one sample.
  GeneratedLine stream(const Prompt& prompt, Report& report,
                       const IncrementalDetokeniser::Callback& callback) const;

  // Prompts to read before they are continued together.
  int64_t prompts_together() const { return 8 * options_.mini_batch; }

  // What an engine is asked to continue: tokens, of a text or of a conversation.
  Request request_of(std::vector<int32_t> prompt, bool is_conversation) const;
  // The most tokens of a continuation of a prompt of this many tokens.
  int64_t length_limit(int64_t prompt) const;
  // Why a prompt of this many tokens is not continued.
  std::optional<Fault> fault_of(int64_t prompt) const;
  // The text of a token in a text, or the spelling of one that adds nothing to a text.
  std::string token_text(int32_t token) const;
  // What drafts as the options say, for one engine; null: nothing does.
  std::unique_ptr<decode::Drafter> drafter() const;

 private:
  std::vector<int32_t> tokens_of(const Prompt& prompt) const;
  // A prompt's request, if it has no fault.
  void prepare_one(const Prompt& prompt, size_t index, Prepared<Request>& out,
                   Report& report) const;
  void add_processors();
  void check_draft() const;
  void read_constraints();
  ContextShift context_shift() const;

  const model_file::LanguageModelSession* session_;
  const model_file::LanguageModelSession* draft_;
  GenerationOptions options_;
  const ChatFormat* chat_;  // may be null
  std::vector<int32_t> end_ids_;
  std::vector<int32_t> forbidden_;  // those that the tokeniser does not have
  std::vector<decode::LogitsProcessor> processors_;
  std::optional<ConstraintLines> constraints_;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_GENERATION_GENERATOR_H_
