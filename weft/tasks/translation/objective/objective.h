// The training objective of translation models.
#ifndef WEFT_TASKS_TRANSLATION_OBJECTIVE_OBJECTIVE_H_
#define WEFT_TASKS_TRANSLATION_OBJECTIVE_OBJECTIVE_H_

#include <memory>
#include <optional>
#include <variant>

#include "weft/model_file/seq2seq.h"
#include "weft/tasks/translation/objective/guided_attention.h"
#include "weft/tasks/translation/objective/scheduled_sampling.h"
#include "weft/train/task.h"

namespace weft::tasks {

struct ObjectiveOptions {
  std::string loss = "cross-entropy";
  double label_smoothing = 0.1;
  std::vector<std::string> data_weighting;
  std::string data_weighting_type = "sentence";
  std::string teacher;
  double teacher_weight = 0.5;
  double teacher_temperature = 1;
  double r_drop = 0;
  double length_weight = 1;
  ScheduledSamplingOptions sampling;
  GuidanceOptions guidance;

  template <class V>
  void fields(V& v) {
    group(v, "Objective");
    v("loss", loss,
      {.help =
           "loss between the predicted distribution and the smoothed target: cross-entropy; kl, "
           "which subtracts the target's entropy; Euclidean distance, or its square",
       .choices = "cross-entropy|kl|euclidean|squared-euclidean"});
    v("label-smoothing", label_smoothing,
      {.help = "probability mass spread uniformly over the vocabulary (Szegedy et al. 2016)",
       .min = 0,
       .max = 0.999});
    v("data-weighting", data_weighting,
      {.help =
           "files of loss weights, one for each corpus of --train-sets and one line per sentence: "
           "a weight for the sentence or for each target token; 1 is neutral",
       .reads = true,
       .may_change = true});
    v("data-weighting-type", data_weighting_type,
      {.help = "one weight per line, or one per target token and, optionally, the end symbol",
       .choices = "sentence|word"});
    v("teacher", teacher,
      {.help =
           "model file with the same vocabularies for word-level knowledge distillation (Hinton "
           "et al. 2015, arXiv 1503.02531; Kim and Rush 2016)",
       .reads = true,
       .may_change = true});
    v("teacher-weight", teacher_weight,
      {.help = "weight of the teacher in the loss; the true target has the rest",
       .min = 0,
       .max = 1});
    v("teacher-temperature", teacher_temperature,
      {.help = "temperature of teacher and student in the distillation loss, which is multiplied "
               "by its square",
       .min = 0.01,
       .max = 1000});
    v("r-drop", r_drop,
      {.help = "weight of the KL divergence between two passes with different dropout; "
               "0: one pass; 5 is usual (Liang et al. 2021, arXiv 2106.14448)",
       .min = 0,
       .max = 1000});
    v("length-weight", length_weight,
      {.help = "weight of the length prediction in the loss; 1 is the weight of "
               "a token",
       .min = 0,
       .max = 1000});
    sampling.fields(v);
    guidance.fields(v);
  }

  // Throws OptionError for options that contradict each other.
  void validate() const;
};

// Optional per-target weights of a micro-batch and its alignments.
struct TargetWeights {
  ops::RowWeights rows = {};  // [N], one per target
  BatchLinks links = {};
};

// A forward pass: the decoder states at the targets of a micro-batch, and the loss of true targets.
struct Pass {
  const models::Seq2Seq& model;
  const train::MicroBatch& part;
  const Tensor& states;  // [N, D]
  ops::CrossEntropy truth;
};

// Kinds of objective. Each returns the loss [1, 1] of a pass.
struct TrueTargets {
  ops::Loss operator()(const Pass& pass, const nn::Context& context) const;
};
struct Teacher {
  std::shared_ptr<const model_file::Session> session;
  double weight = 0.5;
  double temperature = 1;
  ops::Loss operator()(const Pass& pass, const nn::Context& context) const;
};
struct RDrop {
  double alpha = 5;
  // Runs a second pass with different dropout.
  ops::Loss operator()(const Pass& pass, const nn::Context& context) const;
};

// Throws OptionError if the model does not support the objective.
void check_objective(const ObjectiveOptions& options, const models::Seq2SeqOptions& model);

class Objective {
 public:
  // Loads the teacher, if any. Throws the errors of load_model(), and OptionError if its
  // vocabularies differ from those of `student`.
  Objective(const ObjectiveOptions& options, const model_file::Session& student);

  // nullptr if there is none.
  const model_file::Session* teacher() const;

  // The loss [1, 1] of a micro-batch, recorded on the context's tape.
  ops::Loss operator()(const models::Seq2Seq& model, const train::MicroBatch& part,
                       const TargetWeights& weights, const nn::Context& context) const;

 private:
  ops::CrossEntropy truth_;
  double length_weight_;
  std::variant<TrueTargets, Teacher, RDrop> kind_;
  std::optional<ScheduledSampling> sampling_;
  std::optional<GuidedAttention> guidance_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OBJECTIVE_OBJECTIVE_H_
