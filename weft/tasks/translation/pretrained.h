// Starting from another model's weights.
#ifndef WEFT_TASKS_TRANSLATION_PRETRAINED_H_
#define WEFT_TASKS_TRANSLATION_PRETRAINED_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/model_file/seq2seq.h"
#include "weft/train/options.h"

namespace weft::tasks {

class Pretrained {
 public:
  // Reads the file. Throws what reading throws, NumericError where weights are not finite, and
  // OptionError where the file is not what `options` ask for in a model of `model`'s kind, as far
  // as that does not depend on its vocabularies.
  Pretrained(const train::PretrainedOptions& options, const models::Seq2SeqOptions& model);

  // Copies the wanted parameters into the session's; the others stay as they are. Throws
  // OptionError, changing nothing, where one is missing in the file or has another shape, where one
  // is left over in the file and all are wanted, or where a wanted one belongs to another
  // vocabulary.
  void copy_to(model_file::Session& session) const;

 private:
  void check_parameters(const std::vector<nn::NamedParameter>& all) const;
  void check_vocabularies(const model_file::Session& session) const;
  std::vector<nn::NamedParameter> wanted(const std::vector<nn::NamedParameter>& all) const;

  train::PretrainedOptions options_;
  models::Seq2SeqOptions model_;  // of the new model
  model_file::Session file_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_PRETRAINED_H_
