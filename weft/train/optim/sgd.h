// Stochastic gradient descent with momentum (Polyak 1964; Sutskever et al. 2013).
#ifndef WEFT_TRAIN_OPTIM_SGD_H_
#define WEFT_TRAIN_OPTIM_SGD_H_

#include <array>
#include <string_view>

#include "weft/options/fields.h"
#include "weft/train/optim/update.h"
#include "weft/train/optim/weight_decay.h"

namespace weft::train {

struct Sgd {
  static constexpr std::string_view kName = "sgd";
  static constexpr std::string_view kHelp = "with momentum";
  static constexpr std::array<std::string_view, 1> kMoments = {"sgd.momentum"};

  double momentum = 0.9;
  bool nesterov = false;
  WeightDecay decay = {.rate = 0};

  template <class V>
  void fields(V& v) {
    v("momentum", momentum,
      {.help = "share of the last step that is kept in the next", .min = 0, .max = 0.9999});
    v("nesterov", nesterov, {.help = "Nesterov's momentum: the gradient counts ahead of it"});
    decay.fields(v);
  }

  void update(const ParameterSlice& slice, const UpdateStep& step) const;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_OPTIM_SGD_H_
