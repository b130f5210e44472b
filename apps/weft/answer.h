// What all commands do that answer inputs: read some, predict, write, and say what became of them.
#ifndef APPS_WEFT_ANSWER_H_
#define APPS_WEFT_ANSWER_H_

#include <span>
#include <string_view>
#include <vector>

#include "apps/weft/input/lines.h"
#include "weft/core/timer.h"
#include "weft/predict/report.h"

namespace weft::app {

struct Answering {
  int64_t together = 1;   // the most inputs of a window
  std::string_view done;  // "translated"
  std::string_view unit = "line";
  bool is_strict = false;  // any problem counts, not only scores that are not finite
};

// Warns of what the report has counted, logs "translated 12 lines in 0.3 s", and returns the exit
// status.
int conclude(const predict::Report& report, const Answering& answering, const Timer& timer);

// Calls answer(inputs) for each window of a source: of a file `together` inputs, of a pipe or a
// terminal those that have arrived, so that each is answered at once. Concludes at the end.
template <class Source, class Answer>
int answer_all(Source& source, const Answering& answering, const predict::Report& report,
               Answer answer) {
  const Timer timer;
  for (std::vector<typename Source::Item> window;
       next_window(source, answering.together, window);) {
    answer(std::span<const typename Source::Item>(window));
  }
  return conclude(report, answering, timer);
}

}  // namespace weft::app

#endif  // APPS_WEFT_ANSWER_H_
