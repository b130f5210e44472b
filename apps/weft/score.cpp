// weft score: log-probabilities of given texts.
#include <algorithm>

#include "apps/weft/command.h"
#include "apps/weft/score_options.h"
#include "weft/model.h"

namespace weft::app {

void ScoreOptions::validate() const {
  of_documents.validate();
  of_pairs.validate();
  if (!summary.empty() && !normalize.empty()) {
    fail<OptionError>("--normalize", "applies to scores of lines; contradicts --summary");
  }
  if (aligns() && (!normalize.empty() || !summary.empty())) {
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
  constexpr std::string_view kTranslator = "seq2seq", kLanguageModel = "language-model";
  const std::string kind = kind_of_model(options->model.path);
  if (kind == kTranslator || kind.empty()) return score_translations(*options);
  if (kind == kLanguageModel) return score_texts(*options);
  fail<FormatError>(options->model.path, "is a model of type '{}'; expected {} or {}", kind,
                    kTranslator, kLanguageModel);
}

}  // namespace weft::app
