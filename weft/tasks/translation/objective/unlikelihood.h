// Unlikelihood training, against repetition (Welleck et al. 2019, arXiv 1908.04319).
#ifndef WEFT_TASKS_TRANSLATION_OBJECTIVE_UNLIKELIHOOD_H_
#define WEFT_TASKS_TRANSLATION_OBJECTIVE_UNLIKELIHOOD_H_

#include "weft/ops/losses/labels.h"
#include "weft/tasks/translation/objective/kind.h"

namespace weft::tasks {

// The loss of the true targets, and alpha times the unlikelihood of the tokens before each
// (weft/ops/fused/unlikelihood_loss.h).
struct UnlikelihoodOptions {
  static constexpr std::string_view kOption = "--unlikelihood";
  static constexpr ObjectiveLimits kLimits = {
      .generation = "makes tokens unlikely that stand before a target"};

  double alpha = 0;

  template <class V>
  void fields(V& v) {
    v("unlikelihood", alpha,
      {.help = "weight of unlikelihood training, which makes the previous target tokens of a "
               "sentence less probable, against repetition; 0: off; 1 is usual (Welleck et al. "
               "2019, arXiv 1908.04319)",
       .min = 0,
       .max = 1000});
  }
  bool is_on() const { return alpha > 0; }
  std::unique_ptr<const PassLoss> make(const model_file::TranslatorSession& student) const;
};

// The candidates of each target: the distinct tokens before it in its sentence, other than itself.
ops::LabelsPtr previous_targets(const data::Tokens& target);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OBJECTIVE_UNLIKELIHOOD_H_
