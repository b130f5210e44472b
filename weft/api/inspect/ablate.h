// The loss of a model on a given text without each head.
#ifndef WEFT_API_INSPECT_ABLATE_H_
#define WEFT_API_INSPECT_ABLATE_H_

#include <string>
#include <vector>

#include "weft/inspect/ablation.h"
#include "weft/model_file/classifier.h"
#include "weft/model_file/tagger.h"
#include "weft/model_file/translator.h"
#include "weft/options/fields.h"
#include "weft/tasks/classification/options.h"
#include "weft/tasks/tagging/options.h"

namespace weft::api {

struct AblationOptions {
  std::vector<std::string> files;
  tasks::LabelledTextLayout layout;
  tasks::LineLabelOptions label;
  tasks::TagFieldOptions tags;

  AblationOptions() {  // as in training, where they are not given
    layout.format.clear();
    label.separators.clear();
  }
  template <class V>
  void fields(V& v) {
    options::group(v, "Ablation");
    v("ablate", files,
      {.help =
           "print the loss on this text with each head masked in turn: source and target file of "
           "a translator, or labelled text; plain or .gz",
       .reads = true});
    layout.fields(v);
    label.fields(v);
    label.several_fields(v);
    tags.fields(v);
  }
  bool is_on() const { return !files.empty(); }
};

// The mean loss is that of a target token, a text, or a word. Throws OptionError for options that
// the kind of model does not have, FormatError and FileError as reading does.
inspect::Ablation ablate(const model_file::TranslatorSession& session,
                         const AblationOptions& options);
inspect::Ablation ablate(const model_file::ClassifierSession& session,
                         const AblationOptions& options);
inspect::Ablation ablate(const model_file::TaggerSession& session, const AblationOptions& options);

}  // namespace weft::api

#endif  // WEFT_API_INSPECT_ABLATE_H_
