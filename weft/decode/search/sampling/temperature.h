#ifndef WEFT_DECODE_SEARCH_SAMPLING_TEMPERATURE_H_
#define WEFT_DECODE_SEARCH_SAMPLING_TEMPERATURE_H_

#include "weft/decode/search/sampling/candidates.h"
#include "weft/options/fields.h"

namespace weft::decode {

// Of the softmax that the links behind it, and the draw, read; log p is the model's own.
struct Temperature {
  static constexpr std::string_view kName = "temperature";
  double value = 1;

  void operator()(Candidates& candidates) const { candidates.set_temperature(value); }
  bool is_on() const { return value != 1; }
  void check() const { check_link(kName, value, 1e-6, 1e9); }
  template <class V>
  void fields(V& v) {
    v("temperature", value,
      {.help = "of the softmax that --sampling draws from; below 1 it is sharper",
       .min = 0.01,
       .max = 100});
  }
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_SAMPLING_TEMPERATURE_H_
