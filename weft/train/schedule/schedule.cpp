#include "weft/train/schedule/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "weft/core/error.h"

namespace weft::train {
namespace {

// The completed fraction of the decay, which lasts from `warmup` to `end`.
double decay_progress(double update, double warmup, double end) {
  return std::clamp((update - warmup) / (end - warmup), 0.0, 1.0);
}

}  // namespace

ScheduleOptions ScheduleOptions::for_length(int64_t updates) const {
  ScheduleOptions out = *this;
  if (warmup_ratio > 0) out.warmup = std::llround(warmup_ratio * static_cast<double>(updates));
  out.warmup_ratio = 0;
  return out;
}

void ScheduleOptions::validate() const {
  const bool ends = schedule == "linear" || schedule == "cosine";
  const ScheduleOptions plain;
  const std::pair<const char*, bool> decay_options[] = {
      {"--lr-decay-updates", decay_updates == plain.decay_updates},
      {"--lr-final", final_rate == plain.final_rate}};
  for (const auto& [option, is_default] : decay_options) {
    if (!ends && !is_default) {
      fail<OptionError>(option, "needs --lr-schedule linear or cosine, got {}", schedule);
    }
  }
  if (ends && decay_updates <= warmup) {
    fail<OptionError>("--lr-decay-updates", "expected more than --lr-warmup {}, got {}", warmup,
                      decay_updates);
  }
  if (ends && final_rate > learn_rate) {
    fail<OptionError>("--lr-final", "expected at most --learn-rate {}, got {}", learn_rate,
                      final_rate);
  }
}

double InverseSqrt::operator()(double update) const {
  return std::sqrt(std::max(warmup, 1.0) / std::max(update, 1.0));
}

double LinearDecay::operator()(double update) const {
  return 1 - (1 - final_factor) * decay_progress(update, warmup, end);
}

double CosineDecay::operator()(double update) const {
  const double half = (1 + std::cos(std::numbers::pi * decay_progress(update, warmup, end))) / 2;
  return final_factor + (1 - final_factor) * half;
}

Schedule::Schedule(const ScheduleOptions& o)
    : peak_(o.learn_rate), warmup_(static_cast<double>(o.warmup)) {
  o.validate();
  const auto end = static_cast<double>(o.decay_updates);
  const double final_factor = o.learn_rate > 0 ? o.final_rate / o.learn_rate : 0;
  if (o.schedule == "linear") {
    decay_ = LinearDecay{warmup_, end, final_factor};
  } else if (o.schedule == "cosine") {
    decay_ = CosineDecay{warmup_, end, final_factor};
  } else if (o.schedule == "constant") {
    decay_ = Constant{};
  } else {
    decay_ = InverseSqrt{warmup_};
  }
}

double Schedule::rate(int64_t update) const {
  const auto t = static_cast<double>(update);
  if (t < warmup_) return peak_ * t / warmup_;
  return peak_ * std::visit([&](const auto& decay) { return decay(t); }, decay_);
}

}  // namespace weft::train
