#include "weft/core/interruption.h"

#include <utility>

namespace weft {
namespace {

thread_local InterruptionCheck* in_force = nullptr;

}  // namespace

InterruptionCheck::InterruptionCheck(std::function<void()> check)
    : check_(std::move(check)), before_(std::exchange(in_force, this)) {}

InterruptionCheck::~InterruptionCheck() { in_force = before_; }

void InterruptionCheck::rethrow() const {
  if (thrown_) std::rethrow_exception(thrown_);
}

void interruption_point(bool now) {
  if (in_force == nullptr || !in_force->check_) return;
  in_force->rethrow();
  const auto time = std::chrono::steady_clock::now();
  if (!now && time < in_force->next_) return;
  in_force->next_ = time + std::chrono::milliseconds(100);
  try {
    in_force->check_();
  } catch (...) {
    in_force->thrown_ = std::current_exception();
    throw;
  }
}

}  // namespace weft
