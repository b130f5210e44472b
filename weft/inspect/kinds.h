// The kinds of models whose examples are inspected: the pair of files of each has inspect(),
// positions_of() and check_options() for its session. Inspection is optional: what is in a model
// file is shown of any kind (model_summary.h).
#ifndef WEFT_INSPECT_KINDS_H_
#define WEFT_INSPECT_KINDS_H_

#include "weft/inspect/kinds/classifier.h"
#include "weft/inspect/kinds/cross_view.h"
#include "weft/inspect/kinds/detector.h"
#include "weft/inspect/kinds/embedder.h"
#include "weft/inspect/kinds/language_model.h"
#include "weft/inspect/kinds/masked_lm.h"
#include "weft/inspect/kinds/tagger.h"
#include "weft/inspect/kinds/transcriber.h"
#include "weft/inspect/kinds/translator.h"

namespace weft::inspect {

template <class Session>
concept Inspected = requires(const Session& session, const InspectionOptions& options) {
  inspect(session, std::string_view(), options);
  positions_of(session);
  check_options(session, options);
};

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_KINDS_H_
