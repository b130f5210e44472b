// Activation functions and gated units.
#ifndef WEFT_KERNELS_ACTIVATION_H_
#define WEFT_KERNELS_ACTIVATION_H_

#include "weft/kernels/activation_kind.h"
#include "weft/kernels/cost.h"

namespace weft::kernels {

// y = act(x)
struct Activate {
  Activation kind;
  View x, y;
  static constexpr std::string_view kName = "activation";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

// d_x = d_y * act'(x), where x is the input of the activation.
struct ActivateBackward {
  Activation kind;
  View x, d_y, d_x;
  static constexpr std::string_view kName = "d_activation";
  Cost cost() const { return {0, bytes_of({x, d_y, d_x})}; }
};

// Gated units (Shazeer 2020): y [N, F] = act(x[:, :F]) * x[:, F:], x [N, 2F].
struct Gate {
  Activation kind;
  View x, y;
  static constexpr std::string_view kName = "gate";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

struct GateBackward {
  Activation kind;
  View x, d_y, d_x;
  static constexpr std::string_view kName = "d_gate";
  Cost cost() const { return {0, bytes_of({x, d_y, d_x})}; }
};

namespace ref {
void run(const Activate&), run(const ActivateBackward&), run(const Gate&), run(const GateBackward&);
}
namespace cpu {
void run(const Activate&), run(const ActivateBackward&), run(const Gate&), run(const GateBackward&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ACTIVATION_H_
