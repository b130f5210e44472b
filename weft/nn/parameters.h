// Parameters of modules. A module is a plain struct that names each parameter and part once, in
//   template <class V> void fields(V& v) { v("weight", weight); v("fc1", fc1); }
// State dicts, counting, initialisation and the flat buffer are derived from that.
#ifndef WEFT_NN_PARAMETERS_H_
#define WEFT_NN_PARAMETERS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/autograd/tape.h"
#include "weft/nn/dropout.h"
#include "weft/tensor/packed_weight.h"

namespace weft::nn {

enum class Init {
  kZeros,
  kOnes,
  kGlorot,  // uniform in +-sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010)
  kNormal,  // normal with deviation `cols`^-0.5: an embedding that is scaled by sqrt(D)
};

// The vocabulary whose tokens the rows of a matrix, or the columns of a bias, are for; kShared is
// that of source and target.
enum class Vocabulary { kNone, kSource, kTarget, kShared, kCharacters };

struct LowRank;

// One named tensor of a model: its shape at first, and after bind() a view into the flat buffer.
// A parameter of shape [0, 0] is left out of the model. For inference a matrix may be packed, and
// then has no value.
struct Parameter {
  Shape shape{0, 0};
  Init init = Init::kZeros;
  double gain = 1;            // of kGlorot
  bool is_embedding = false;  // a table whose rows are looked up
  Vocabulary vocabulary = Vocabulary::kNone;
  bool is_buffer = false;  // kept with the others, but no gradient or optimiser changes it
  bool is_frozen = false;  // nothing changes it; requires no gradient
  Tensor value;
  PackedWeight packed;
  std::vector<LowRank> low_rank;  // of the weight of a linear map: none or one, see low_rank.h

  // In the source, where LowRank is complete.
  Parameter();
  Parameter(Shape wanted, Init initial);
  Parameter(const Parameter& other);
  Parameter(Parameter&& other) noexcept;
  Parameter& operator=(const Parameter& other);
  Parameter& operator=(Parameter&& other) noexcept;
  ~Parameter();

  bool is_present() const { return shape.size() > 0; }
  // One row counts as a vector: it is never packed or rounded.
  bool is_matrix() const { return shape.rows() > 1; }
  void freeze() {
    is_frozen = true;
    value.node = autograd::kConstant;
  }
  operator const Tensor&() const { return value; }  // NOLINT: parameters go straight into ops
};

// An update of a weight [D_out, D_in]: scale * up * down. Its parameters are not among those of the
// module; nn::low_rank_parameters() lists them.
struct LowRank {
  Parameter down;  // A [r, D_in]
  Parameter up;    // B [D_out, r]
  double scale = 1;
  Dropout dropout;  // of the input of `down`; the stream counts from the model's first
};

// A table of embeddings [rows, width].
Parameter embedding_table(int64_t rows, int64_t width, Init init = Init::kNormal);

struct NamedParameter {
  std::string name;  // "model.encoder.layers.0.fc1.weight"
  Parameter* parameter;
};

// Collects the parameters of a module in visiting order.
class ParameterCollector {
 public:
  template <class T>
  void operator()(std::string_view name, T& part) {
    const size_t length = prefix_.size();
    prefix_.append(prefix_.empty() ? "" : ".").append(name);
    if constexpr (std::is_same_v<T, Parameter>) {
      if (part.is_present()) found.push_back({prefix_, &part});
    } else if constexpr (requires { part.begin(); }) {
      for (size_t i = 0; i < part.size(); ++i) (*this)(std::to_string(i), part[i]);
    } else {
      part.fields(*this);
    }
    prefix_.resize(length);
  }

  std::vector<NamedParameter> found;

 private:
  std::string prefix_;
};

template <class M>
std::vector<NamedParameter> parameters_of(M& module) {
  ParameterCollector collector;
  module.fields(collector);
  return std::move(collector.found);
}

// Allocates one flat buffer [P] and makes every parameter a view into it, in the given order.
Tensor bind(const std::vector<NamedParameter>& parameters, DType dtype = DType::kF32);

// The same for parameters that have values, one for each: in place where their memory is contiguous
// in one storage, else copied. Nothing may write to them.
Tensor bind(const std::vector<NamedParameter>& parameters, const std::vector<Tensor>& values);

// Makes the parameters views into `flat` [P], in the given order.
void bind_to(const std::vector<NamedParameter>& parameters, const Tensor& flat);

// Fills bound parameters as their `init` says; a function of seed and of the parameter's name.
void initialise(const std::vector<NamedParameter>& parameters, uint64_t seed);

// Parameters that are contiguous in the flat buffer, as those of one module are in visiting order.
using ContiguousParameters = std::initializer_list<const Parameter*>;
// A view of them as one matrix, [sum of rows, cols]; it requires a gradient where any of them does.
// Throws ShapeError when they are not contiguous or differ in columns.
Tensor fused_weight(std::span<const Parameter* const> parts);
inline Tensor fused_weight(ContiguousParameters parts) {
  return fused_weight(std::span(parts.begin(), parts.size()));
}
// The same of biases [1, n], which may differ in n: [1, sum of n].
Tensor fused_bias(ContiguousParameters parts);

}  // namespace weft::nn

#endif  // WEFT_NN_PARAMETERS_H_
