// The names of activation functions, without the kernels that compute them.
#ifndef WEFT_KERNELS_ACTIVATION_KIND_H_
#define WEFT_KERNELS_ACTIVATION_KIND_H_

namespace weft::kernels {

enum class Activation {
  kNone,
  kRelu,
  kGelu,      // exact, by erf
  kGeluTanh,  // its approximation by tanh (Hendrycks and Gimpel 2016, arXiv 1606.08415)
  kSilu,
  kTanh,
  kSigmoid,
  kEluPlusOne,  // x + 1 for x > 0, else e^x; always positive
};

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ACTIVATION_KIND_H_
