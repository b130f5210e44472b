#include "apps/weft/answer.h"

#include "weft/core/log.h"
#include "weft/core/text/counted.h"

namespace weft::app {

int64_t lines_together(const LibraryOptions& options) {
  return options.value<int64_t>("mini-batch") * options.value<int64_t>("maxi-batch");
}

int conclude(const Report& report, const Answering& answering) {
  if (report.has_news()) log::warn("{}", report.text());
  log::info("{} {} in {:.1f} s", answering.done, counted(report.inputs, answering.unit),
            answering.timer.seconds());
  if (report.drafted_tokens > 0) {
    log::info("{} of {} {} right", report.accepted_tokens,
              counted(report.drafted_tokens, "drafted token"),
              report.drafted_tokens == 1 ? "was" : "were");
  }
  const bool is_finite = report.count(FaultKind::kNotFinite) == 0;
  return is_finite && (!answering.is_strict || report.problems() == 0) ? 0 : 1;
}

}  // namespace weft::app
