// What a tagger learns from another one.
#ifndef WEFT_TASKS_TAGGING_TEACHER_H_
#define WEFT_TASKS_TAGGING_TEACHER_H_

#include "weft/model_file/tagger.h"
#include "weft/tasks/distillation/taught_examples.h"
#include "weft/tasks/labels/labelled_data.h"
#include "weft/tasks/tagging/options.h"

namespace weft::tasks {

class TaggerTeacher {
 public:
  // Throws the errors of load_any_tagger(), and OptionError for a model of other columns of labels.
  explicit TaggerTeacher(const TaggingOptions& options);

  const model_file::TaggerSession& session() const { return session_; }
  OtherReading reading() const;
  // Of its weights.
  uint64_t fingerprint() const;
  // The labels of a student: the teacher's. Throws FormatError, naming `files`, for a label of
  // training that it lacks, and OptionError where the student goes on from a model with other ones,
  // `whole`, null: none.
  std::vector<data::LabelSet> labels(const std::vector<data::LabelSet>& training,
                                     const std::vector<data::LabelSet>* whole,
                                     const std::string& files) const;
  // Throws FormatError for a text of which the teacher does not read the words that the student
  // reads.
  void check_words(const data::LabelledCorpus& student, const data::LabelledCorpus& teacher) const;

  // The sum over columns, times their weights, of (1 - w) loss of the truth + w T^2 KL(teacher,
  // student) of each word or text that has labels, and of the second term without w of the others.
  // In a column of words, a student with a CRF learns distributions over the labellings of texts;
  // one without learns from a teacher with a CRF that of each word given the text.
  ops::Loss loss(const models::Tagger& student, const TaughtExamples& examples,
                 const models::TagObjective& objective, const nn::Context& context) const;

 private:
  std::string path_;
  double weight_, temperature_;
  model_file::TaggerSession session_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TAGGING_TEACHER_H_
