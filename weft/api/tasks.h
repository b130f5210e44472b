// What is trained. A task is its own folder in weft/tasks and one line of this list; the
// first is the default.
#ifndef WEFT_API_TASKS_H_
#define WEFT_API_TASKS_H_

#include "weft/tasks/classification/classification.h"
#include "weft/tasks/cross_view/cross_view.h"
#include "weft/tasks/detection/detection.h"
#include "weft/tasks/embedding/embedding.h"
#include "weft/tasks/language_modelling/language_modelling.h"
#include "weft/tasks/masked_lm/masked_lm.h"
#include "weft/tasks/span_corruption/span_corruption.h"
#include "weft/tasks/tagging/tagging.h"
#include "weft/tasks/transcription/transcription.h"
#include "weft/tasks/translation/translation.h"

namespace weft::api {

// A task is a train::Task with
//   Options, kName   its options, and its name in `weft train NAME`
//   Session          what is in its model files (weft/model_file/session.h)
//   kTargets         what the loss is a mean over, in progress reports
//   kPresets         named sets of options, if any
template <class... Task>
struct TaskList {};

using Tasks =
    TaskList<tasks::Translation, tasks::Classification, tasks::Tagging, tasks::Transcription,
             tasks::Detection, tasks::CrossView, tasks::LanguageModelling, tasks::SentenceEmbedding,
             tasks::MaskedLanguageModelling, tasks::SpanCorruption>;

}  // namespace weft::api

#endif  // WEFT_API_TASKS_H_
