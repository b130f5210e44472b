// Shared by the commands that translate: models and input.
#ifndef APPS_WEFT_TRANSLATION_H_
#define APPS_WEFT_TRANSLATION_H_

#include <string>
#include <vector>

#include "apps/weft/input/lines.h"
#include "apps/weft/model_options.h"
#include "weft/model_file/translator.h"
#include "weft/predict/translation/translator_options.h"

namespace weft::app {

struct TranslationOptions {
  ModelsOptions models;
  std::string input{kStandardInput};
  predict::TranslatorOptions translator;  // fields() leaves out those of translator.decode

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
    translator.file_fields(v);
  }
};

// One for each model. Throws what model_file::load_packed and model_file::check_vocabularies throw.
std::vector<model_file::TranslatorSession> load_sessions(const TranslationOptions& options);

}  // namespace weft::app

#endif  // APPS_WEFT_TRANSLATION_H_
