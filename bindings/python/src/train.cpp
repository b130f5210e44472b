#include "weft/train.h"

#include <exception>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/convert.h"

namespace weft::python {
namespace {

// Calls on_update(fields of a TrainingProgress) and on_validation(update, [(metric, value), ...]),
// which return whether to go on. Ctrl-C and errors stop the training in good order, and are raised
// after it; while data are read, they are raised at once.
class Listener {
 public:
  Listener(nb::object on_update, nb::object on_validation)
      : on_update_(std::move(on_update)), on_validation_(std::move(on_validation)) {}

  TrainingHooks hooks() {
    return {.on_update = [this](const TrainingProgress& progress) { return hear(progress); },
            .on_validation = [this](const TrainingValidation& found) { return hear(found); },
            .while_reading =
                [] {
                  const nb::gil_scoped_acquire lock;
                  check_signals();
                }};
  }
  void rethrow() {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  bool hear(const TrainingProgress& p) {
    return call(on_update_, [&] {
      return on_update_(p.epoch, p.update, p.loss, p.learn_rate, p.gradient_norm,
                        p.targets_per_second, p.seconds_left, p.is_due);
    });
  }
  bool hear(const TrainingValidation& found) {
    return call(on_validation_, [&] {
      nb::list metrics;
      for (const auto& [name, value] : found.metrics) {
        metrics.append(nb::make_tuple(str_of(name), value));
      }
      return on_validation_(found.update, metrics);
    });
  }
  template <class Call>
  bool call(const nb::object& callback, const Call& run) {
    const nb::gil_scoped_acquire lock;
    try {
      check_signals();
      return callback.is_none() || nb::cast<bool>(run());
    } catch (...) {
      error_ = std::current_exception();
      return false;
    }
  }

  nb::object on_update_, on_validation_;
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
nb::object train(nb::handle task, const nb::dict& options, nb::object on_update,
                 nb::object on_validation) {
  const std::string name = text_of(task, "task");
  const Options given = options_of(options);
  Listener listener(std::move(on_update), std::move(on_validation));
  const TrainingResult result =
      without_lock([&] { return train_model(name, given, listener.hooks(), Ranks()); });
  listener.rethrow();
  const nb::object best = result.best ? nb::object(nb::float_(*result.best)) : nb::none();
  return nb::make_tuple(name_of(result.end), result.updates, best, result.best_update);
}

}  // namespace

void bind_training(nb::module_& module) {
  module.def("training_tasks", [] { return list_of(training_tasks()); });
  module.def("train", train, nb::arg("task"), nb::arg("options"), nb::arg("on_update").none(),
             nb::arg("on_validation").none());
}

}  // namespace weft::python
