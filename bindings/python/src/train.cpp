#include "weft/train.h"

#include <exception>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/convert.h"

namespace weft::python {
namespace {

// Calls on_update(fields of a TrainingProgress), which returns whether to go on. Ctrl-C and errors
// stop the training in good order, and are raised after it.
class Listener {
 public:
  explicit Listener(nb::object on_update) : on_update_(std::move(on_update)) {}

  bool operator()(const TrainingProgress& progress) {
    const nb::gil_scoped_acquire lock;
    try {
      check_signals();
      if (on_update_.is_none()) return true;
      return nb::cast<bool>(on_update_(progress.epoch, progress.update, progress.loss,
                                       progress.learn_rate, progress.gradient_norm,
                                       progress.targets_per_second, progress.seconds_left,
                                       progress.is_due));
    } catch (...) {
      error_ = std::current_exception();
      return false;
    }
  }
  void rethrow() {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  nb::object on_update_;
  std::exception_ptr error_;
};

const char* name_of(TrainingEnd end) {
  switch (end) {
    case TrainingEnd::kFinished: return "finished";
    case TrainingEnd::kStoppedEarly: return "stopped-early";
    case TrainingEnd::kStopped: return "stopped";
    case TrainingEnd::kWasFinished: return "was-finished";
    case TrainingEnd::kHadStoppedEarly: break;
  }
  return "had-stopped-early";
}

// (end, updates, best or None, update of the best)
nb::object train(nb::handle task, const nb::dict& options, nb::object on_update) {
  const std::string name = text_of(task, "task");
  const Options given = options_of(options);
  Listener listener(std::move(on_update));
  const TrainingResult result = without_lock([&] {
    return train_model(name, given, [&](const TrainingProgress& p) { return listener(p); });
  });
  listener.rethrow();
  const nb::object best = result.best ? nb::object(nb::float_(*result.best)) : nb::none();
  return nb::make_tuple(name_of(result.end), result.updates, best, result.best_update);
}

}  // namespace

void bind_training(nb::module_& module) {
  module.def("training_tasks", [] { return list_of(training_tasks()); });
  module.def("train", train, nb::arg("task"), nb::arg("options"), nb::arg("on_update").none());
}

}  // namespace weft::python
