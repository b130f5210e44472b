// Validation metrics of a translation model.
#ifndef WEFT_TASKS_TRANSLATION_VALIDATOR_H_
#define WEFT_TASKS_TRANSLATION_VALIDATOR_H_

#include <memory>
#include <string>
#include <vector>

#include "weft/data/corpus/corpus.h"
#include "weft/model_file/translator.h"
#include "weft/predict/translation/translation.h"
#include "weft/tasks/translation/options.h"
#include "weft/train/task.h"

namespace weft::tasks {

class Validator {
 public:
  // Reads the validation text and crops sentences to the model's position tables. Throws the errors
  // of reading.
  Validator(const TranslationOptions& options, const model_file::TranslatorSession& session);

  const data::CorpusReport& report() const { return corpus_->reports().front(); }

  // The metrics of --valid-metrics, in order.
  std::vector<train::Metric> measure(const model_file::TranslatorSession& session) const;
  // Of the first lines.
  std::vector<train::Sample> samples(const model_file::TranslatorSession& session) const;

 private:
  double cross_entropy(const model_file::TranslatorSession& session) const;
  // Translations of the first `lines` lines.
  std::vector<predict::TranslatedText> translate(const model_file::TranslatorSession& session,
                                                 int64_t lines) const;

  std::vector<std::string> metrics_;
  ValidTranslationOptions translations_;
  std::unique_ptr<data::Corpus> corpus_;
  std::vector<std::string> references_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_VALIDATOR_H_
