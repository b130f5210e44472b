#include "weft/train/schedule/decay.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "weft/core/error.h"

namespace weft::train {

void DecayOptions::set_length(int64_t all_updates, const Peak& peak) {
  if (updates == 0) updates = std::max(all_updates, static_cast<int64_t>(peak.update) + 1);
}

void DecayOptions::validate(const Peak& peak) const {
  if (updates > 0 && static_cast<double>(updates) <= peak.update) {
    fail<OptionError>("--lr-decay-updates", "expected more than --lr-warmup {}, got {}",
                      peak.update, updates);
  }
  if (final_rate > peak.rate) {
    fail<OptionError>("--lr-final", "expected at most --learn-rate {}, got {}", peak.rate,
                      final_rate);
  }
}

double DecayOptions::progress(double update, const Peak& peak) const {
  const auto end = static_cast<double>(updates);
  return std::clamp((update - peak.update) / (end - peak.update), 0.0, 1.0);
}

double DecayOptions::final_factor(const Peak& peak) const {
  return peak.rate > 0 ? final_rate / peak.rate : 0;
}

double LinearDecay::rate(double update, const Peak& peak) const {
  return peak.rate * (1 - (1 - final_factor(peak)) * progress(update, peak));
}

double CosineDecay::rate(double update, const Peak& peak) const {
  const double half = (1 + std::cos(std::numbers::pi * progress(update, peak))) / 2;
  const double last = final_factor(peak);
  return peak.rate * (last + (1 - last) * half);
}

}  // namespace weft::train
