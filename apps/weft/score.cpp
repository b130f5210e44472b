// weft score: log-probabilities of given texts.
#include <algorithm>

#include "apps/weft/command.h"
#include "apps/weft/score_options.h"
#include "weft/model_file/any_adapter.h"
#include "weft/model_file/kinds.h"

namespace weft::app {

void ScoreOptions::validate() const {
  options::check_scopes(*this);
  if (!summary.empty() && !normalize.empty()) {
    fail<OptionError>("--normalize", "applies to scores of lines; contradicts --summary");
  }
  if (alignment.is_on() && (!normalize.empty() || !summary.empty())) {
    fail<OptionError>("--alignment", "replaces scores; contradicts {}",
                      normalize.empty() ? "--summary" : "--normalize");
  }
  if (!documents) {
    constexpr std::string_view kOfDocuments[] = {"context", "stride"};
    options::check_unread(
        *this, [&](std::string_view name) { return std::ranges::count(kOfDocuments, name) == 0; },
        "without --documents");
    return;
  }
  if (tsv) fail<OptionError>("--tsv", "contradicts --documents; expected one of them");
  if (!normalize.empty()) {
    fail<OptionError>("--normalize", "applies to scores of lines; contradicts --documents");
  }
}

void ScoreOptions::check_of_translator() const {
  constexpr std::string_view kOfLanguageModels[] = {"precision", "lora", "documents", "context",
                                                    "stride"};
  options::check_unread(
      *this,
      [&](std::string_view name) { return std::ranges::count(kOfLanguageModels, name) == 0; },
      "with a translator");
  if (summary == "bits-per-byte" || normalize == "bytes") {
    fail<OptionError>(summary.empty() ? "--normalize" : "--summary",
                      "{} is for language models; expected {}", summary.empty() ? "bytes" : summary,
                      summary.empty() ? "tokens" : "cross-entropy or perplexity");
  }
  if (text.size() != (tsv ? 1u : 2u)) {
    fail<OptionError>("--train-sets", "expected {}, got {} files",
                      tsv ? "one file with --tsv" : "a source and a target file", text.size());
  }
}

void ScoreOptions::check_of_language_model() const {
  constexpr std::string_view kOfTranslators[] = {"max-length", "alignment", "alignment-heads",
                                                 "strict"};
  options::check_unread(
      *this, [&](std::string_view name) { return std::ranges::count(kOfTranslators, name) == 0; },
      "with a language model");
  if (!documents && text.size() != 1) {
    fail<OptionError>("--train-sets", "expected one file of lines, or --documents; got {} files",
                      text.size());
  }
  if (tsv && !summary.empty()) {
    fail<OptionError>("--summary", "contradicts --tsv with a language model; expected one of them");
  }
}

int run_score(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<ScoreOptions>(info, args);
  if (!options) return 0;
  using model_file::LanguageModelSession, model_file::TranslatorSession;
  const std::string kind = model_file::is_foreign_model(options->model.path)
                               ? std::string(LanguageModelSession::kKind)
                               : model_file::ModelFile(options->model.path).kind();
  return model_file::with_session_of(
      kind, options->model.path,
      [&]<class Session>() {
        constexpr bool kIsTranslator = std::is_same_v<Session, TranslatorSession>;
        return kIsTranslator ? score_translations(*options) : score_texts(*options);
      },
      model_file::SessionList<TranslatorSession, LanguageModelSession>());
}

}  // namespace weft::app
