// R-Drop: two passes with different dropout are drawn to each other (Liang et al. 2021, arXiv
// 2106.14448).
#ifndef WEFT_TASKS_TRANSLATION_OBJECTIVE_R_DROP_H_
#define WEFT_TASKS_TRANSLATION_OBJECTIVE_R_DROP_H_

#include "weft/tasks/translation/objective/kind.h"

namespace weft::tasks {

// The loss of both passes and their divergence (weft/ops/fused/paired_loss.h).
struct RDropOptions {
  static constexpr std::string_view kOption = "--r-drop";
  static constexpr ObjectiveLimits kLimits = {
      .generation = "compares two passes token by token",
      .sampling = "with which the two passes have different inputs",
      .needs_entropy = true};

  double alpha = 0;

  template <class V>
  void fields(V& v) {
    v("r-drop", alpha,
      {.help = "weight of the KL divergence between two passes with different dropout; "
               "0: one pass; 5 is usual (Liang et al. 2021, arXiv 2106.14448)",
       .min = 0,
       .max = 1000});
  }
  bool is_on() const { return alpha > 0; }
  // Throws OptionError for a model without dropout.
  void check(const models::Seq2SeqOptions& model) const;
  std::unique_ptr<const PassLoss> make(const model_file::TranslatorSession& student) const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OBJECTIVE_R_DROP_H_
