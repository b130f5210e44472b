// What a classifier of text learns from another one.
#ifndef WEFT_TASKS_CLASSIFICATION_TEACHER_H_
#define WEFT_TASKS_CLASSIFICATION_TEACHER_H_

#include <string>

#include "weft/model_file/classifier.h"
#include "weft/tasks/classification/options.h"
#include "weft/tasks/distillation/taught_examples.h"
#include "weft/tasks/labels/labelled_data.h"

namespace weft::tasks {

class ClassifierTeacher {
 public:
  // Throws the errors of load_any_classifier(), and OptionError for a model of other labels, or of
  // another input than text.
  explicit ClassifierTeacher(const ClassificationOptions& options);

  const model_file::ClassifierSession& session() const { return session_; }
  OtherReading reading() const;
  // Of its weights.
  uint64_t fingerprint() const;

  // The sum over examples with labels of (1 - w) loss of the truth + w T^2 KL(teacher, student), of
  // several labels the mean over these, of a sequence the sum; and over the others of the second
  // term without w. Of numbers the second term is the mean squared error, as standardised by
  // `numbers`. Of a student that has the teacher's labels.
  ops::Loss loss(const models::Classifier& student, const TaughtExamples& examples,
                 const models::ClassifierLoss& params, const data::ChannelStatistics& numbers,
                 const nn::Context& context) const;

 private:
  ops::Loss one_label(const models::Classifier& student, const TaughtExamples& examples,
                      const models::ClassifierLoss& params, const nn::Context& context) const;
  ops::Loss several_labels(const models::Classifier& student, const TaughtExamples& examples,
                           const models::ClassifierLoss& params, const nn::Context& context) const;
  ops::Loss sequences(const models::Classifier& student, const TaughtExamples& examples,
                      const models::ClassifierLoss& params, const nn::Context& context) const;

  double weight_, temperature_;
  model_file::ClassifierSession session_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_CLASSIFICATION_TEACHER_H_
