// What the program trains. A task is its own folder in weft/tasks and one line of this list; the
// first is the default.
#ifndef APPS_WEFT_TASKS_H_
#define APPS_WEFT_TASKS_H_

#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "weft/core/error.h"
#include "weft/model_file/session.h"
#include "weft/tasks/classification/classification.h"
#include "weft/tasks/cross_view/cross_view.h"
#include "weft/tasks/detection/detection.h"
#include "weft/tasks/tagging/tagging.h"
#include "weft/tasks/transcription/transcription.h"
#include "weft/tasks/translation/translation.h"

namespace weft::app {

// A task is a train::Task with
//   Options, kName   its options, and its name in `weft train NAME`
//   Session          what is in its model files (weft/model_file/session.h)
//   kTargets         what the loss is a mean over, in progress reports
//   kPresets         named sets of options, if any
template <class... Task>
struct TaskList {};

using Tasks = TaskList<tasks::Translation, tasks::Classification, tasks::Tagging,
                       tasks::Transcription, tasks::Detection, tasks::CrossView>;

// Calls body.operator()<Task>() for the task whose models a file holds, and returns its result.
// Throws FormatError for a model of another kind. A file without a kind is given to the first task,
// whose reader says what is wrong.
template <class Body, class First, class... Task>
auto with_task_of(const std::string& path, Body body, TaskList<First, Task...>) {
  using Result = decltype(body.template operator()<First>());
  const std::string kind = model_file::ModelFile(path).kind();
  std::optional<Result> out;
  const auto try_task = [&]<class T>() {
    if (T::Session::kKind == kind) out = body.template operator()<T>();
    return out.has_value();
  };
  if (kind.empty()) return body.template operator()<First>();
  if (!(try_task.template operator()<First>() || ... || try_task.template operator()<Task>())) {
    fail<FormatError>(
        path, "is a model of type '{}'; expected {}", kind,
        fmt::format("{}",
                    fmt::join(std::array{First::Session::kKind, Task::Session::kKind...}, ", ")));
  }
  return std::move(*out);
}
template <class Body>
auto with_task_of(const std::string& path, Body body) {
  return with_task_of(path, body, Tasks());
}

}  // namespace weft::app

#endif  // APPS_WEFT_TASKS_H_
