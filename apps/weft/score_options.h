// The options of weft score, and what it does with models of each kind.
#ifndef APPS_WEFT_SCORE_OPTIONS_H_
#define APPS_WEFT_SCORE_OPTIONS_H_

#include <string>
#include <vector>

#include "apps/weft/language_model_options.h"
#include "weft/options/fields.h"
#include "weft/score.h"

namespace weft::app {

struct ScoreOptions {
  LanguageModelOptions model;
  std::vector<std::string> text;
  bool tsv = false;
  bool documents = false;
  LibraryOptions of_documents{DocumentScorer::schema(), {"mini-batch-words"}};
  std::string summary;
  std::string normalize;
  LibraryOptions of_pairs{TranslationScorer::schema(), {"tsv"}};
  bool strict = false;

  template <class V>
  void fields(V& v) {
    model.fields(v,
                 "model file of a translator or a language model, or a folder of Hugging Face "
                 "Transformers or a GGUF file of a language model");
    v("train-sets", text,
      {.help = "plain or .gz, or - for standard input. Of a translator: source and target file, or "
               "one file with both with --tsv; of a language model: a file of lines, or with "
               "--documents any number of documents",
       .letter = 't',
       .required = true,
       .reads = true});
    v("tsv", tsv,
      {.help = "columns are separated by tabs: source and target; with a language model a "
               "prompt and its continuations, and each continuation is scored"});
    v("documents", documents,
      {.help = "each file is one text: print its path, perplexity, bits per byte, and how many "
               "tokens and bytes were scored, by a language model"});
    of_documents.fields(v);
    v("summary", summary,
      {.help = "print one number for all: cross-entropy in nats per token, including end symbols "
               "of translations, perplexity, or of a language model bits per byte; none: the "
               "log-probability of each line",
       .choices = "cross-entropy|perplexity|bits-per-byte",
       .implied = "cross-entropy"});
    v("normalize", normalize,
      {.help = "divide each log-probability by its number of tokens, including the end symbol of a "
               "translation, or of a language model by its bytes",
       .choices = "tokens|bytes",
       .letter = 'n',
       .implied = "tokens"});
    of_pairs.fields(v);
    v("strict", strict,
      {.help = "exit with status 1 if a line was cropped, over-long, had too few columns or was "
               "not UTF-8; with a language model it always is"});
  }

  bool aligns() const { return !of_pairs.value<std::string>("alignment").empty(); }
  // What is wrong with any model.
  void validate() const;
  // Throw OptionError for options that a model of this kind does not read.
  void check_of_translator() const;
  void check_of_language_model() const;
};

// These return the exit status.
int score_translations(const ScoreOptions& options);
int score_texts(const ScoreOptions& options);

}  // namespace weft::app

#endif  // APPS_WEFT_SCORE_OPTIONS_H_
