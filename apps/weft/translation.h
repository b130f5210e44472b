// Shared by the commands that translate: models and input.
#ifndef APPS_WEFT_TRANSLATION_H_
#define APPS_WEFT_TRANSLATION_H_

#include <string>
#include <vector>

#include "apps/weft/input/lines.h"
#include "apps/weft/model_options.h"
#include "weft/model_file/translator.h"
#include "weft/predict/translation/translator.h"

namespace weft::app {

struct TranslationOptions {
  ModelsOptions models;
  std::string input{kStandardInput};
  std::string banned_words;
  std::string constraints;
  std::vector<std::string> shortlist;
  std::string draft;
  std::vector<std::string> draft_memory;
  decode::DecodeOptions decode;  // it has fields of its own

  template <class V>
  void fields(V& v) {
    options::group(v, "Text");
    models.fields(v,
                  "model file, or several with the same vocabularies as an ensemble; attention and "
                  "alignments are the first one's");
    v("input", input,
      {.help = "text to translate, one sentence a line, plain or .gz, or - or stdin",
       .letter = 'i',
       .reads = true});
    v("banned-words", banned_words,
      {.help = "file of words and phrases, one a line, that no translation may hold",
       .reads = true});
    v("constraints", constraints,
      {.help =
           "file with a line for each line of text: words and phrases, separated by tabs, that its "
           "translation has to hold (Post and Vilar 2018, arXiv 1804.06609)",
       .reads = true});
    v("shortlist", shortlist,
      {.help =
           "FILE [FIRST BEST]: score only the FIRST tokens of the vocabulary (100) and the BEST of "
           "each source token (100) in a lexicon of `target source probability` lines, plain or "
           ".gz; saves time, and probabilities are among these",
       .reads = true});
    v("draft", draft,
      {.help =
           "a smaller model with the same vocabularies: it drafts tokens, and one pass verifies "
           "several; changes speed and never the text; needs --beam-size 1",
       .reads = true});
    v("draft-memory", draft_memory,
      {.help = "the same with drafts from translations of similar sentences: a file of sources and "
               "one of their translations, or one of `source <tab> translation` lines",
       .reads = true});
  }
};

// One for each model. Throws what model_file::load_packed and model_file::check_vocabularies throw.
std::vector<model_file::TranslatorSession> load_sessions(const TranslationOptions& options);

// The sessions have to outlive it. Throws OptionError, FileError.
predict::Translator make_translator(const std::vector<model_file::TranslatorSession>& sessions,
                                    const TranslationOptions& options);

}  // namespace weft::app

#endif  // APPS_WEFT_TRANSLATION_H_
