// A module of any kind of self-attention, without the kinds, which kinds.h lists.
#ifndef WEFT_NN_ATTENTION_ANY_KIND_H_
#define WEFT_NN_ATTENTION_ANY_KIND_H_

#include <vector>

#include "weft/core/indirect.h"
#include "weft/kernels/attention.h"
#include "weft/nn/context.h"
#include "weft/nn/parameters.h"

namespace weft::nn {

struct AttentionVariant;  // the std::variant of all modules, in kinds.h
struct SelfInput;
class KvCache;

class AttentionKind {
 public:
  AttentionKind() = default;  // full attention
  // Defined in kinds.h.
  template <class Kind>
  AttentionKind(Kind kind);

  // For who includes kinds.h.
  const AttentionVariant& module() const { return *module_; }
  AttentionVariant& module() { return *module_; }

  // Which projections of its input it has besides values.
  bool has_queries() const;
  bool has_keys() const;
  // Whether decoding keeps a state of fixed size in place of keys and values.
  bool keeps_state() const;
  // Which rows a cached row may attend to.
  kernels::AttentionPattern cache_pattern() const;
  // How many RNG streams its dropouts take.
  int64_t dropout_streams(int64_t heads) const;
  // The heads' outputs, [N, H*Kv]; see self_input.h.
  Tensor forward(const SelfInput& in, const Context& context) const;
  Tensor prefill(const SelfInput& in, KvCache& cache, const Context& context) const;
  Tensor step(const SelfInput& in, KvCache& cache, const Context& context) const;
  // The output of the layer, [N, D], from its input and the projected outputs of the heads.
  Tensor output(const Tensor& x, const Tensor& projected, const Context& context) const;

  template <class V>
  void fields(V& v) {
    for (const auto& [name, parameter] : parameters()) v(name, *parameter);
  }

 private:
  std::vector<NamedParameter> parameters();

  Indirect<AttentionVariant> module_;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_ANY_KIND_H_
