// Options that several tasks have.
#ifndef WEFT_TASKS_SHARED_OPTIONS_H_
#define WEFT_TASKS_SHARED_OPTIONS_H_

#include <cstdint>

namespace weft::tasks {

template <class V>
void label_smoothing_field(V& v, double& share) {
  v("label-smoothing", share,
    {.help = "probability of the target that is spread evenly over all labels, or tokens of the "
             "vocabulary (Szegedy et al. 2016)",
     .min = 0,
     .max = 0.999});
}

template <class V>
void valid_beam_size_field(V& v, int64_t& size) {
  v("valid-beam-size", size,
    {.help = "beam size of texts for metrics of them, such as bleu and word-error-rate",
     .min = 1,
     .max = 64,
     .may_change = true});
}

}  // namespace weft::tasks

#endif  // WEFT_TASKS_SHARED_OPTIONS_H_
