// Scheduled sampling: the decoder reads its predictions instead of a growing fraction of the true
// targets (Bengio et al. 2015, arXiv 1506.03099), in two passes, as required for Transformers
// (Mihaylova and Martins 2019, arXiv 1906.07651).
#ifndef WEFT_TASKS_TRANSLATION_OBJECTIVE_SCHEDULED_SAMPLING_H_
#define WEFT_TASKS_TRANSLATION_OBJECTIVE_SCHEDULED_SAMPLING_H_

#include "weft/models/seq2seq/seq2seq.h"
#include "weft/options/fields.h"

namespace weft::tasks {

// A kind has true_fraction(i), the fraction of true targets that the decoder reads in update i,
// counted from 0.
struct NoSampling {
  static constexpr std::string_view kName = "none";
  double true_fraction(int64_t) const { return 1; }
};

struct SamplingDecay {
  double rate = 0;   // r
  double floor = 0;  // the fraction is never below

  template <class V>
  void fields(V& v) {
    v("scheduled-sampling-rate", rate,
      {.help = "r of --scheduled-sampling: below 1 for linear and exponential, at least 1 for "
               "inverse-sigmoid",
       .min = 0,
       .max = 1e9});
    v("scheduled-sampling-floor", floor,
      {.help = "minimum fraction of true targets with --scheduled-sampling", .min = 0, .max = 1});
  }
};
struct LinearDecay : SamplingDecay {
  static constexpr std::string_view kName = "linear", kHelp = "1 - r i";
  double true_fraction(int64_t i) const;
  // Throws OptionError for an invalid rate.
  void check() const;
};
struct ExponentialDecay : SamplingDecay {
  static constexpr std::string_view kName = "exponential", kHelp = "r^i";
  double true_fraction(int64_t i) const;
  // Throws OptionError for an invalid rate.
  void check() const;
};
struct InverseSigmoidDecay : SamplingDecay {
  static constexpr std::string_view kName = "inverse-sigmoid", kHelp = "r / (r + e^(i/r))";
  double true_fraction(int64_t i) const;
  // Throws OptionError for an invalid rate.
  void check() const;
};

struct ScheduledSamplingOptions {
  options::OneOf<NoSampling, LinearDecay, ExponentialDecay, InverseSigmoidDecay> decay;

  template <class V>
  void fields(V& v) {
    choice(
        v, "scheduled-sampling", decay,
        {.help = "the decoder reads predictions of a first pass instead of true targets (Mihaylova "
                 "and Martins 2019, arXiv 1906.07651); the fraction of true targets in update i"});
  }
  bool is_on() const { return !decay.is<NoSampling>(); }
  // Throws OptionError for a rate that is invalid for the kind of decay.
  void validate() const;
};

class ScheduledSampling {
 public:
  // Throws the errors of validate().
  explicit ScheduledSampling(const ScheduledSamplingOptions& options);

  // The fraction of true targets in an update, counted from 0.
  double true_fraction(int64_t update) const;

  // The decoder states of a second pass, whose inputs are randomly replaced by predictions of a
  // first pass without dropout and gradients. The draws are a pure function of the context's key,
  // sentence and position.
  Tensor states(const models::Seq2Seq& model, const data::Batch& batch, int64_t update,
                const nn::Context& context) const;

 private:
  ScheduledSamplingOptions options_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OBJECTIVE_SCHEDULED_SAMPLING_H_
