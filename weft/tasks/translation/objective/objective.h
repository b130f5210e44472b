// What training minimises.
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
      {.help = "between the model's distribution and the smoothed target: cross-entropy; kl, the "
               "same less the target's entropy; or their Euclidean distance, or its square",
       .choices = "cross-entropy|kl|euclidean|squared-euclidean"});
    v("label-smoothing", label_smoothing,
      {.help = "mass of the target distribution spread over the vocabulary (Szegedy et al. 2016)",
       .min = 0,
       .max = 0.999});
    v("data-weighting", data_weighting,
      {.help = "a file of weights for each corpus of --train-sets, line by line: what a sentence, "
               "or each of its target tokens, counts in the loss; 1 is as much as without",
       .reads = true,
       .may_change = true});
    v("data-weighting-type", data_weighting_type,
      {.help = "one weight a line, or one for each target token and, if wanted, the end symbol",
       .choices = "sentence|word"});
    v("teacher", teacher,
      {.help = "model file, with the same vocabularies, whose distribution at each target token is "
               "part of the target (Hinton et al. 2015, arXiv 1503.02531; Kim and Rush 2016)",
       .reads = true,
       .may_change = true});
    v("teacher-weight", teacher_weight,
      {.help = "share of the teacher in the loss, the rest is the true target's",
       .min = 0,
       .max = 1});
    v("teacher-temperature", teacher_temperature,
      {.help = "divides the logits of both where they are compared; the loss there is multiplied "
               "by its square",
       .min = 0.01,
       .max = 1000});
    v("r-drop", r_drop,
      {.help = "weight of the divergence between two passes over each batch, with different "
               "dropout; 0: one pass; 5 is usual (Liang et al. 2021, arXiv 2106.14448)",
       .min = 0,
       .max = 1000});
    v("length-weight", length_weight,
      {.help = "what the length of a sentence counts in the loss of a model that predicts it; 1 is "
               "as much as a token",
       .min = 0,
       .max = 1000});
    sampling.fields(v);
    guidance.fields(v);
  }

  // Throws OptionError for options that contradict each other.
  void validate() const;
};

// What the targets of a micro-batch count, beside its own weight, and what they align to.
struct TargetWeights {
  ops::RowWeights rows = {};  // of each target, [N]
  BatchLinks links = {};
};

// The model's states at the targets of a micro-batch, and how the true targets count.
struct Pass {
  const models::Seq2Seq& model;
  const train::MicroBatch& part;
  const Tensor& states;  // [N, D]
  ops::CrossEntropy truth;
};

// Kinds of objective: the loss [1, 1] of a pass.
struct TrueTargets {
  ops::Loss operator()(const Pass& pass, nn::Context& context) const;
};
struct Teacher {
  std::shared_ptr<const model_file::Session> session;
  double share = 0.5;
  double temperature = 1;
  ops::Loss operator()(const Pass& pass, nn::Context& context) const;
};
struct RDrop {
  double alpha = 5;
  // Runs a second pass, with other dropout.
  ops::Loss operator()(const Pass& pass, nn::Context& context) const;
};

// Throws OptionError for what is not an objective of such a model.
void check_objective(const ObjectiveOptions& options, const models::Seq2SeqOptions& model);

class Objective {
 public:
  // Loads the teacher, if any; throws what that throws, and OptionError where its vocabularies are
  // not those of `student`.
  Objective(const ObjectiveOptions& options, const model_file::Session& student);

  // Null without one.
  const model_file::Session* teacher() const;

  // The loss [1, 1] of a micro-batch, with gradients on the context's tape.
  ops::Loss operator()(const models::Seq2Seq& model, const train::MicroBatch& part,
                       const TargetWeights& weights, nn::Context& context) const;

 private:
  ops::CrossEntropy truth_;
  double length_weight_;
  std::variant<TrueTargets, Teacher, RDrop> kind_;
  std::optional<ScheduledSampling> sampling_;
  std::optional<GuidedAttention> guidance_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OBJECTIVE_OBJECTIVE_H_
