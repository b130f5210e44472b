// What of a training is recorded in files.
#ifndef WEFT_TRAIN_RECORDS_OPTIONS_H_
#define WEFT_TRAIN_RECORDS_OPTIONS_H_

#include <string>

#include "weft/options/fields.h"

namespace weft::train {

struct RecordOptions {
  std::string metrics;
  std::string tensorboard;

  template <class V>
  void fields(V& v) {
    v("metrics", metrics,
      {.help =
           "file of metrics, a JSON object per line: loss, learning rate, gradient norms, speed "
           "and memory at each report (--disp-freq), and the metrics of each validation",
       .writes = true,
       .may_change = true});
    v("tensorboard", tensorboard,
      {.help = "folder of event files for TensorBoard: the same metrics, and at each validation "
               "histograms of the weights and what the model makes of a few validation lines",
       .writes = true,
       .may_change = true});
  }
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_RECORDS_OPTIONS_H_
