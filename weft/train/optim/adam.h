// Adam (Kingma and Ba 2015, arXiv 1412.6980), and with decoupled weight decay AdamW (Loshchilov and
// Hutter 2019, arXiv 1711.05101).
#ifndef WEFT_TRAIN_OPTIM_ADAM_H_
#define WEFT_TRAIN_OPTIM_ADAM_H_

#include <array>
#include <string_view>
#include <vector>

#include "weft/options/fields.h"
#include "weft/train/optim/update.h"
#include "weft/train/optim/weight_decay.h"

namespace weft::train {

struct Adam {
  static constexpr std::string_view kName = "adam";
  static constexpr std::string_view kHelp = "Kingma and Ba 2015";
  // First and second moment, as a checkpoint names them.
  static constexpr std::array<std::string_view, 2> kMoments = {"adam.first", "adam.second"};

  std::vector<double> params = {0.9, 0.98, 1e-9};  // beta1, beta2, epsilon

  template <class V>
  void fields(V& v) {
    v("optimizer-params", params, {.help = "beta1, beta2 and epsilon", .min = 0, .max = 1});
  }

  // Throws OptionError for a wrong number of optimizer-params, a beta of 1 or an epsilon of 0.
  void validate() const;
  void update(const ParameterSlice& slice, const UpdateStep& step) const;
};

struct AdamW : Adam {
  static constexpr std::string_view kName = "adamw";
  static constexpr std::string_view kHelp = "Loshchilov and Hutter 2019";

  WeightDecay decay;

  template <class V>
  void fields(V& v) {
    Adam::fields(v);
    decay.fields(v);
  }

  void update(const ParameterSlice& slice, const UpdateStep& step) const;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_OPTIM_ADAM_H_
