// What a training on text starts from: a pretrained encoder, or a whole model.
#ifndef WEFT_TASKS_LABELS_START_H_
#define WEFT_TASKS_LABELS_START_H_

#include <string>
#include <string_view>

#include "weft/data/labels/label_set.h"
#include "weft/data/text/vocabulary_options.h"
#include "weft/models/encoders/text_encoder_options.h"
#include "weft/options/option_table.h"
#include "weft/tasks/distillation/taken_layers.h"
#include "weft/tasks/task_options.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {

struct StartOptions {
  std::string from;
  bool new_head = false;
  std::vector<int64_t> take_layers = {};

  bool is_used() const { return !from.empty(); }

  template <class V>
  void fields(V& v) {
    v("from", from,
      {.help = "pretrained model to start from: an embedder, a classifier, a tagger or a masked "
               "language model, as a model file or a folder of Hugging Face Transformers; the "
               "layers, the vocabulary and, of a model of this task, the output layers and labels "
               "are its own",
       .reads = true});
    v("new-head", new_head,
      {.help = "take the encoder alone of --from, also of a model of this task, and learn output "
               "layers for the training text"});
    take_layers_field(v, take_layers);
  }

  // Throws OptionError for options of `model` that --from fixes, and for other sources of weights
  // and vocabularies.
  template <class ModelOptions>
  void check(const ModelOptions& model, const data::VocabularyOptions& vocabulary,
             const PretrainedOptions& pretrained) const {
    if (!is_used()) return check_unused(vocabulary);
    check_beside_from(model, vocabulary, pretrained, may_change);
  }

  // Whether an option of a model may differ from that of --from, or is not there.
  static bool may_change(std::string_view name);

 private:
  void check_unused(const data::VocabularyOptions& vocabulary) const;
};

// The options of the encoder of --from, `found`, with the dropout that is given.
models::TextEncoderOptions started_from(models::TextEncoderOptions found,
                                        const models::TextEncoderOptions& given);

// Throws OptionError for an option that is neither its default nor what the model of --from has,
// unless it is of training alone.
void check_same_head(const options::OptionTable& given, const options::OptionTable& defaults,
                     const options::OptionTable& found);
template <class ModelOptions>
void check_same_head(ModelOptions given, ModelOptions found) {
  ModelOptions plain;
  options::OptionTable table, defaults, theirs;
  table.add(given);
  defaults.add(plain);
  theirs.add(found);
  check_same_head(table, defaults, theirs);
}

inline constexpr std::string_view kNewHeadHint =
    "--new-head takes the encoder alone and learns the labels of the training text";
inline constexpr std::string_view kTeacherHint =
    "a student has the labels of its teacher; leave out these texts, or give another teacher";

// Throws FormatError, naming `files`, for a label of training that the model in the file `from`
// does not have; `hint` says what to do.
void check_known_labels(const data::LabelSet& training, const data::LabelSet& known,
                        std::string_view files, std::string_view from,
                        std::string_view hint = kNewHeadHint);
// Throws OptionError where the teacher in the file `teacher` has other labels than the model that a
// student goes on from, or has them in another order.
void check_same_labels(const data::LabelSet& student, const data::LabelSet& labels,
                       std::string_view teacher);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LABELS_START_H_
