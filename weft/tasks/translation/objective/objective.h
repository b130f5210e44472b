// The training objective of translation models.
#ifndef WEFT_TASKS_TRANSLATION_OBJECTIVE_OBJECTIVE_H_
#define WEFT_TASKS_TRANSLATION_OBJECTIVE_OBJECTIVE_H_

#include <memory>
#include <optional>
#include <tuple>

#include "weft/data/corpus/weights.h"
#include "weft/tasks/shared_options.h"
#include "weft/tasks/translation/objective/distillation.h"
#include "weft/tasks/translation/objective/guided_attention.h"
#include "weft/tasks/translation/objective/loss.h"
#include "weft/tasks/translation/objective/r_drop.h"
#include "weft/tasks/translation/objective/scheduled_sampling.h"
#include "weft/tasks/translation/objective/unlikelihood.h"

namespace weft::tasks {

// The list of objectives. To add one, write a pair of files and add its options here. At most one
// is on; if none is, training minimises the loss of the true targets.
using ObjectiveKinds = std::tuple<DistillationOptions, RDropOptions, UnlikelihoodOptions>;

// What --data-weighting has a weight for.
struct SentenceWeights {
  static constexpr std::string_view kName = "sentence";
  static constexpr auto kType = data::WeightType::kSentence;
};
struct WordWeights {
  static constexpr std::string_view kName = "word";
  static constexpr std::string_view kHelp = "each target token and, optionally, the end symbol";
  static constexpr auto kType = data::WeightType::kWord;
};

struct ObjectiveOptions {
  LossKinds loss;
  double label_smoothing = 0.1;
  std::vector<std::string> data_weighting;
  options::OneOf<SentenceWeights, WordWeights> data_weighting_type;
  ObjectiveKinds kinds;
  double length_weight = 1;
  ScheduledSamplingOptions sampling;
  GuidanceOptions guidance;

  template <class V>
  void fields(V& v) {
    options::group(v, "Objective");
    options::choice(v, "loss", loss,
                    {.help = "loss between the predicted distribution and the smoothed target"});
    label_smoothing_field(v, label_smoothing);
    v("data-weighting", data_weighting,
      {.help =
           "files of loss weights, one for each corpus of --train-sets and one line per sentence: "
           "a weight for the sentence or for each target token; 1 is neutral",
       .reads = true,
       .may_change = true});
    options::choice(v, "data-weighting-type", data_weighting_type,
                    {.help = "what has a weight of its own"});
    each([&]<class Kind>(Kind& kind) {
      if constexpr (Kind::kLimits.needs_entropy) {
        with_entropy(v, loss, [&] { kind.fields(v); });
      } else {
        kind.fields(v);
      }
    });
    v("length-weight", length_weight,
      {.help = "weight of the length prediction in the loss; 1 is the weight of "
               "a token",
       .min = 0,
       .max = 1000});
    sampling.fields(v);
    guidance.fields(v);
  }

  // The options of an objective, whether or not it is on.
  template <class Kind>
  Kind& get() {
    return std::get<Kind>(kinds);
  }
  // Calls f with each objective in order.
  template <class F>
  void each(F&& f) {
    std::apply([&](auto&... kind) { (f(kind), ...); }, kinds);
  }
  template <class F>
  void each(F&& f) const {
    std::apply([&](const auto&... kind) { (f(kind), ...); }, kinds);
  }
  // The input files of the objective that is on.
  std::vector<std::string> files() const;

  // Throws OptionError for options that contradict each other.
  void validate() const;
};

// Optional per-target weights of a micro-batch and its alignments.
struct TargetWeights {
  ops::RowWeights rows = {};  // [N], one per target
  BatchLinks links = {};
};

// Throws OptionError for a model that does not support the objective.
void check_objective(const ObjectiveOptions& options, const models::Seq2SeqOptions& model);

class Objective {
 public:
  // Throws OptionError for options that contradict each other or the model, and the errors of
  // make() of the objective that is on.
  Objective(const ObjectiveOptions& options, const model_file::TranslatorSession& student);

  // Throws OptionError if the objective does not support a sentence pair.
  void check_lengths(const data::Corpus& corpus) const;

  // The loss [1, 1] of a micro-batch, recorded on the context's tape.
  ops::Loss operator()(const models::Seq2Seq& model, const train::MicroBatch& part,
                       const TargetWeights& weights, const nn::Context& context) const;

 private:
  ops::CrossEntropy target_loss_;
  double length_weight_;
  std::unique_ptr<const PassLoss> kind_;  // null: the loss of the true targets
  std::optional<ScheduledSampling> sampling_;
  std::optional<GuidedAttention> guidance_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OBJECTIVE_OBJECTIVE_H_
