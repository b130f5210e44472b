// What all commands do that answer inputs: they read some (next_window), predict, write, and say at
// the end what became of all.
#ifndef APPS_WEFT_ANSWER_H_
#define APPS_WEFT_ANSWER_H_

#include <string_view>

#include "apps/weft/flags/library_options.h"
#include "apps/weft/input/lines.h"
#include "weft/core/timer.h"
#include "weft/report.h"

namespace weft::app {

// How a command answers, from now on.
struct Answering {
  int64_t together = 1;   // the most inputs of a window
  std::string_view done;  // "translated"
  std::string_view unit = "line";
  bool is_strict = false;  // any problem counts, not only scores that are not finite
  Timer timer = {};
};

// The lines that a model reads together, by its --mini-batch and --maxi-batch.
int64_t lines_together(const LibraryOptions& options);

// Warns of what the report has counted, logs "translated 12 lines in 0.3 s", and returns the exit
// status.
int conclude(const Report& report, const Answering& answering);

}  // namespace weft::app

#endif  // APPS_WEFT_ANSWER_H_
