// Scheduled sampling: the decoder reads its predictions instead of a growing fraction of the true
// targets (Bengio et al. 2015, arXiv 1506.03099), in two passes, as required for Transformers
// (Mihaylova and Martins 2019, arXiv 1906.07651).
#ifndef WEFT_TASKS_TRANSLATION_OBJECTIVE_SCHEDULED_SAMPLING_H_
#define WEFT_TASKS_TRANSLATION_OBJECTIVE_SCHEDULED_SAMPLING_H_

#include <variant>

#include "weft/models/seq2seq.h"

namespace weft::tasks {

// The fraction of true targets that the decoder reads in update i, counted from 0.
struct LinearDecay {
  double step;  // 1 - step i
  double true_fraction(int64_t i) const;
};
struct ExponentialDecay {
  double base;  // base^i
  double true_fraction(int64_t i) const;
};
struct InverseSigmoidDecay {
  double k;  // k / (k + e^(i / k))
  double true_fraction(int64_t i) const;
};

struct ScheduledSamplingOptions {
  std::string scheduled_sampling = "none";
  double rate = 0;
  double floor = 0;

  template <class V>
  void fields(V& v) {
    v("scheduled-sampling", scheduled_sampling,
      {.help =
           "the decoder reads predictions of a first pass instead of true targets; the fraction "
           "of true targets decays with the update i: linear 1 - r i, exponential r^i, "
           "inverse-sigmoid r / (r + e^(i/r)) (Mihaylova and Martins 2019, arXiv 1906.07651)",
       .choices = "none|linear|exponential|inverse-sigmoid"});
    v("scheduled-sampling-rate", rate,
      {.help = "r of --scheduled-sampling: below 1 for linear and exponential, at least 1 for "
               "inverse-sigmoid",
       .min = 0,
       .max = 1e9});
    v("scheduled-sampling-floor", floor,
      {.help = "minimum fraction of true targets with --scheduled-sampling", .min = 0, .max = 1});
  }
  bool is_on() const { return scheduled_sampling != "none"; }
  // Throws OptionError for a rate that is invalid for the kind of decay.
  void validate() const;
};

class ScheduledSampling {
 public:
  explicit ScheduledSampling(const ScheduledSamplingOptions& options);

  // The fraction of true targets in an update, counted from 0.
  double true_fraction(int64_t update) const;

  // The decoder states of a second pass, whose inputs are randomly replaced by predictions of a
  // first pass without dropout and gradients. The draws are a pure function of the context's key,
  // sentence and position.
  Tensor states(const models::Seq2Seq& model, const data::Batch& batch, int64_t update,
                const nn::Context& context) const;

 private:
  std::variant<LinearDecay, ExponentialDecay, InverseSigmoidDecay> decay_;
  double floor_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OBJECTIVE_SCHEDULED_SAMPLING_H_
