// Shared by the commands that translate: models and input.
#ifndef APPS_WEFT_TRANSLATION_H_
#define APPS_WEFT_TRANSLATION_H_

#include <string>

#include "apps/weft/input/lines.h"
#include "apps/weft/model_options.h"
#include "weft/translate.h"

namespace weft::app {

struct TranslationOptions {
  ModelsOptions models;
  std::string input{kStandardInput};
  LibraryOptions search{Translator::schema()};  // fields() leaves it to the command

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
  }
  // Throws what weft::load() and Translator throw.
  Translator load() const { return Translator(models.load("seq2seq"), search.changed()); }
};

}  // namespace weft::app

#endif  // APPS_WEFT_TRANSLATION_H_
