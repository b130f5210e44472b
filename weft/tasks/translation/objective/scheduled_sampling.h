// Scheduled sampling: the decoder reads its own predictions in place of some of the true targets,
// more of them as training goes on (Bengio et al. 2015, arXiv 1506.03099), in the two passes that a
// Transformer needs (Mihaylova and Martins 2019, arXiv 1906.07651).
#ifndef WEFT_TASKS_TRANSLATION_OBJECTIVE_SCHEDULED_SAMPLING_H_
#define WEFT_TASKS_TRANSLATION_OBJECTIVE_SCHEDULED_SAMPLING_H_

#include <variant>

#include "weft/models/seq2seq.h"

namespace weft::tasks {

// How often the decoder reads the true target in update i, from 0 on.
struct LinearShare {
  double step;  // 1 - step i
  double share(int64_t i) const;
};
struct ExponentialShare {
  double base;  // base^i
  double share(int64_t i) const;
};
struct InverseSigmoidShare {
  double k;  // k / (k + e^(i / k))
  double share(int64_t i) const;
};

struct ScheduledSamplingOptions {
  std::string scheduled_sampling = "none";
  double rate = 0;
  double floor = 0;

  template <class V>
  void fields(V& v) {
    v("scheduled-sampling", scheduled_sampling,
      {.help =
           "the decoder reads its own predictions, from a first pass, in place of true targets; "
           "how the share of these falls with the update i: linear 1 - r i, exponential r^i, "
           "inverse-sigmoid r / (r + e^(i/r)) (Mihaylova and Martins 2019, arXiv 1906.07651)",
       .choices = "none|linear|exponential|inverse-sigmoid"});
    v("scheduled-sampling-rate", rate,
      {.help = "r of --scheduled-sampling: below 1 for linear and exponential, at least 1 for "
               "inverse-sigmoid",
       .min = 0,
       .max = 1e9});
    v("scheduled-sampling-floor", floor,
      {.help = "least share of true targets that --scheduled-sampling comes to",
       .min = 0,
       .max = 1});
  }
  bool is_on() const { return scheduled_sampling != "none"; }
  // Throws OptionError for a rate that does not go with the kind.
  void validate() const;
};

class ScheduledSampling {
 public:
  explicit ScheduledSampling(const ScheduledSamplingOptions& options);

  // The share of true targets in update i.
  double share(int64_t update) const;

  // The states of a second pass over the batch, whose inputs are predictions of a first one,
  // without dropout and gradients, where a draw says so: a pure function of the context's key and
  // of where the token stands.
  Tensor states(const models::Seq2Seq& model, const data::Batch& batch, int64_t update,
                nn::Context& context) const;

 private:
  std::variant<LinearShare, ExponentialShare, InverseSigmoidShare> share_;
  double floor_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OBJECTIVE_SCHEDULED_SAMPLING_H_
