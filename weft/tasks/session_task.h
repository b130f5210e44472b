// Base class of the tasks whose model is a session: holds the options, the session, and the copy of
// its model that is trained.
#ifndef WEFT_TASKS_SESSION_TASK_H_
#define WEFT_TASKS_SESSION_TASK_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/model_file/session.h"
#include "weft/train/task.h"

namespace weft::tasks {

template <class OptionsType, class SessionType>
class SessionTask : public train::Task {
 public:
  using Options = OptionsType;
  using Session = SessionType;

  // The kind of the file that it trains.
  static std::string_view kind_of(const Options&) { return Session::kKind; }

  const Options& options() const override { return options_; }
  options::AnyOptions all_options() const override { return options::AnyOptions(options_); }
  options::OptionTable option_table() override {
    options::OptionTable out;
    out.add(options_);
    return out;
  }
  std::vector<train::EarlierDefault> earlier_defaults() const override {
    return train::earlier_defaults<Options>();
  }
  std::vector<nn::NamedParameter> parameters() override {
    return nn::parameters_of(session_.model);
  }
  const Tensor& weights() const override { return session_.parameters; }
  Tensor begin(DType type) override {
    trained_ = session_.model;
    return type == DType::kF32 ? Tensor() : nn::bind(nn::parameters_of(trained_), type);
  }
  void save(const std::string& path, const Tensor& weights) const override {
    model_file::save(path, session_, weights);
  }

 protected:
  // Throws OptionError for options that contradict each other.
  explicit SessionTask(Options options) : options_(std::move(options)) { options_.validate(); }

  Options options_;
  Session session_;                   // from make_model() on
  decltype(Session::model) trained_;  // shares the session's parameters, or has BF16 copies
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_SESSION_TASK_H_
