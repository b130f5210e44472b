#include "weft/train/schedule/schedule.h"

#include <cmath>

namespace weft::train {

ScheduleOptions ScheduleOptions::for_length(int64_t updates,
                                            std::optional<int64_t> warmup_then) const {
  ScheduleOptions out = *this;
  if (warmup_ratio > 0) {
    out.warmup = warmup_then.value_or(std::llround(warmup_ratio * static_cast<double>(updates)));
  }
  out.warmup_ratio = 0;
  const Peak highest = out.peak();
  out.kind.each([&](auto& one) {
    if constexpr (requires { one.set_length(updates, highest); }) one.set_length(updates, highest);
  });
  return out;
}

void ScheduleOptions::validate() const {
  kind.visit([&](const auto& chosen) {
    if constexpr (requires { chosen.validate(peak()); }) chosen.validate(peak());
  });
}

Schedule::Schedule(const ScheduleOptions& options) : kind_(options.kind), peak_(options.peak()) {
  options.validate();
}

double Schedule::rate(int64_t update) const {
  const auto t = static_cast<double>(update);
  if (t < peak_.update) return peak_.rate * t / peak_.update;
  return kind_.visit([&](const auto& kind) { return kind.rate(t, peak_); });
}

}  // namespace weft::train
