// What an embedder learns from another one.
#ifndef WEFT_TASKS_EMBEDDING_TEACHER_H_
#define WEFT_TASKS_EMBEDDING_TEACHER_H_

#include <string>

#include "weft/model_file/embedder.h"
#include "weft/tasks/distillation/taught_examples.h"
#include "weft/tasks/embedding/options.h"

namespace weft::tasks {

class EmbedderTeacher {
 public:
  // Encodes `together` texts at a time; 0: all. Throws the errors of load_any_embedder().
  EmbedderTeacher(const EmbedderTeacherOptions& options, int64_t together);

  const model_file::EmbedderSession& session() const { return session_; }
  // Of its weights.
  uint64_t fingerprint() const;
  // Throws OptionError for a student whose vectors have another width.
  void check_width(int64_t student) const;

  // The sum over lines of several texts of (1 - w) loss of the objective + w mean |u - v|^2 over
  // texts, u and v the vectors of student and teacher, of length one; and of single texts of
  // |u - v|^2. `x` [B * k, E] are the vectors of the student.
  ops::Loss loss(const Tensor& x, const TaughtExamples& examples,
                 const EmbeddingObjective& objective, double weight, ops::Tape* tape) const;

 private:
  std::string path_;
  double weight_;
  int64_t together_;
  model_file::EmbedderSession session_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_EMBEDDING_TEACHER_H_
