// The training state apart from tensors.
#ifndef WEFT_TRAIN_STATE_H_
#define WEFT_TRAIN_STATE_H_

#include <string>
#include <vector>

#include "weft/data/batcher.h"
#include "weft/options/fields.h"
#include "weft/train/progress.h"

namespace weft::train {

struct State {
  Progress progress;
  data::DataPosition position;
  int64_t optimizer_steps = 0;  // only set in files
  int64_t skipped = 0;          // updates with a non-finite loss or gradient
  int64_t skipped_in_row = 0;
  double reported_loss = 0;  // sums since the last progress report
  int64_t reported_targets = 0;
  bool has_best = false;
  double best = 0;                     // value of the first validation metric
  int64_t best_update = 0;             // when that was; 0 in states of earlier versions
  int64_t validations_since_best = 0;  // validations since the best one
  int64_t snapshots = 0;               // number of weights kept for averaging; only set in files
  int64_t fingerprint = 0;             // Task::fingerprint()
  int64_t batch_rows = 0;              // rows per batch found by --mini-batch-fit, or 0
  int64_t warmup = 0;                  // updates of --lr-warmup-ratio, or 0
  int64_t ranks = 1;                   // number of ranks
  int64_t threads = 0;                 // compute threads when training began; 0: unknown
  int64_t format_version = 0;          // only set in files; files of version >= 1 have a checksum

  template <class V>
  void fields(V& v) {
    v("updates", progress.updates);
    v("targets", progress.targets);
    v("epochs", progress.epochs);
    v("data-epoch", position.epoch);
    v("data-batch", position.batch);
    v("optimizer-steps", optimizer_steps);
    v("skipped", skipped);
    v("skipped-in-row", skipped_in_row);
    v("reported-loss", reported_loss);
    v("reported-targets", reported_targets);
    v("has-best", has_best);
    v("best", best);
    v("best-update", best_update);
    v("stalled", validations_since_best);
    v("snapshots", snapshots);
    v("text", fingerprint);
    v("words", batch_rows);
    v("warmup", warmup);
    v("ranks", ranks);
    v("threads", threads);
    v("format-version", format_version);
  }
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_STATE_H_
