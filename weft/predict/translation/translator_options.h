// The options of translation, and what they name: files of phrases, a lexicon, what drafts.
#ifndef WEFT_PREDICT_TRANSLATION_TRANSLATOR_OPTIONS_H_
#define WEFT_PREDICT_TRANSLATION_TRANSLATOR_OPTIONS_H_

#include <string>
#include <vector>

#include "weft/decode/options.h"
#include "weft/model_file/translator.h"
#include "weft/options/fields.h"
#include "weft/predict/translation/translator.h"

namespace weft::predict {

struct TranslatorOptions {
  std::string banned_words = {};
  std::string constraints = {};
  std::vector<std::string> shortlist = {};
  std::string draft = {};
  std::vector<std::string> draft_memory = {};
  decode::DecodeOptions decode = {};

  template <class V>
  void fields(V& v) {
    file_fields(v);
    decode.fields(v);
  }
  template <class V>
  void file_fields(V& v) {
    v("banned-words", banned_words,
      {.help =
           "file of words and phrases, one a line; no translation has the tokens of one, as the "
           "target vocabulary tokenises it",
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
  void validate() const { decode.validate(); }
};

// The sessions have to outlive it; the weights of a model that drafts have this precision. Throws
// OptionError, FileError, FormatError.
Translator make_translator(std::span<const model_file::TranslatorSession> sessions,
                           const TranslatorOptions& options, model_file::Precision draft_weights);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TRANSLATION_TRANSLATOR_OPTIONS_H_
