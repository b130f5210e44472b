// Guards of the evaluator.
#ifndef WEFT_DATA_JINJA_EVALUATOR_INL_H_
#define WEFT_DATA_JINJA_EVALUATOR_INL_H_

#include <memory>
#include <utility>

#include "weft/data/jinja/evaluator.h"

namespace weft::data::jinja {

class Evaluator::Level {
 public:
  explicit Level(Evaluator& evaluator) : evaluator_(evaluator) {
    evaluator.runtime_.use_steps();
    const int64_t most = evaluator.runtime_.limits().depth;
    if (evaluator.level_ >= most) refuse("more than {} levels of nesting, macros included", most);
    ++evaluator.level_;
  }
  ~Level() { --evaluator_.level_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  Evaluator& evaluator_;
};

class Evaluator::Inner {
 public:
  explicit Inner(Evaluator& evaluator) : Inner(evaluator, evaluator.scope_) {}
  // A scope within another one than the current.
  Inner(Evaluator& evaluator, const ScopePtr& outer)
      : evaluator_(evaluator),
        previous_(std::exchange(evaluator.scope_, std::make_shared<Scope>(outer))) {}
  ~Inner() { evaluator_.scope_ = previous_; }
  Inner(const Inner&) = delete;
  Inner& operator=(const Inner&) = delete;

 private:
  Evaluator& evaluator_;
  ScopePtr previous_;
};

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_EVALUATOR_INL_H_
