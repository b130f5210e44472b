// Starting from another model's weights.
#ifndef WEFT_TRAIN_PRETRAINED_H_
#define WEFT_TRAIN_PRETRAINED_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/core/fields.h"
#include "weft/model_file/seq2seq.h"

namespace weft::train {

struct PretrainedOptions {
  std::string model;
  std::vector<std::string> parts;
  std::string vocabs = "equal";

  template <class V>
  void fields(V& v) {
    v("pretrained-model", model,
      {.help = "model file whose weights training starts from; it has to have all parameters of "
               "the new model in their shape, and no others",
       .reads = true});
    v("pretrained-parts", parts,
      {.help = "names of the parameters to take from --pretrained-model where not all are wanted, "
               "in the patterns of --freeze: 'model.encoder.*'; the others start at random"});
    v("pretrained-vocabs", vocabs,
      {.help = "vocabularies of --pretrained-model, where parameters of tokens are taken: equal to "
               "those of the new model, or others of the same size, with tokens matched by number",
       .choices = "equal|by-number"});
  }

  // Throws OptionError where an option needs another.
  void validate() const;
};

class Pretrained {
 public:
  // Reads the file. Throws what reading throws, NumericError where weights are not finite, and
  // OptionError where the file is not what `options` ask for in a model of `model`'s kind, as far
  // as that does not depend on its vocabularies.
  Pretrained(const PretrainedOptions& options, const models::Seq2SeqOptions& model);

  // Copies the wanted parameters into the session's; the others stay as they are. Throws
  // OptionError, changing nothing, where one is missing in the file or has another shape, where one
  // is left over in the file and all are wanted, or where a wanted one belongs to another
  // vocabulary.
  void copy_to(model_file::Session& session) const;

 private:
  void check_parameters(const std::vector<nn::NamedParameter>& all) const;
  void check_vocabularies(const model_file::Session& session) const;
  std::vector<nn::NamedParameter> wanted(const std::vector<nn::NamedParameter>& all) const;

  PretrainedOptions options_;
  models::Seq2SeqOptions model_;  // of the new model
  model_file::Session file_;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_PRETRAINED_H_
