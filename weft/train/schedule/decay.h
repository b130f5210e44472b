// Decays that end at a given update and rate, and stay there.
#ifndef WEFT_TRAIN_SCHEDULE_DECAY_H_
#define WEFT_TRAIN_SCHEDULE_DECAY_H_

#include <cstdint>
#include <string_view>

#include "weft/options/fields.h"
#include "weft/train/schedule/peak.h"

namespace weft::train {

// The options of these decays.
struct DecayOptions {
  int64_t updates = 100000;
  double final_rate = 0;

  template <class V>
  void fields(V& v) {
    v("lr-decay-updates", updates,
      {.help = "update at which linear and cosine decay end; 0: about the last that --after allows",
       .min = 0,
       .max = 1e12});
    v("lr-final", final_rate,
      {.help = "learning rate at the end of linear and cosine decay", .min = 0, .max = 100});
  }

  // That of a training of this many updates.
  void set_length(int64_t all_updates, const Peak& peak);
  // Throws OptionError if the decay ends before it begins, or above the peak.
  void validate(const Peak& peak) const;

 protected:
  // The completed fraction of the decay.
  double progress(double update, const Peak& peak) const;
  // The final rate over the peak.
  double final_factor(const Peak& peak) const;
};

struct LinearDecay : DecayOptions {
  static constexpr std::string_view kName = "linear";
  static constexpr std::string_view kHelp = "a line down to --lr-final";
  double rate(double update, const Peak& peak) const;
};

// Loshchilov and Hutter 2017, arXiv 1608.03983, without restarts.
struct CosineDecay : DecayOptions {
  static constexpr std::string_view kName = "cosine";
  static constexpr std::string_view kHelp = "half a cosine down to --lr-final";
  double rate(double update, const Peak& peak) const;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_SCHEDULE_DECAY_H_
