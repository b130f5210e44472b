#include "weft/nn/attention/kinds.h"

#include "weft/core/indirect-inl.h"

namespace weft {
template class Indirect<nn::AttentionChoice>;
template class Indirect<nn::AttentionVariant>;
}  // namespace weft

namespace weft::nn {

std::string_view AttentionKinds::name() const { return choice_->name(); }

bool AttentionKinds::is_full() const { return choice_->is<FullAttentionOptions>(); }

bool AttentionKinds::is_local() const { return choice_->is<LocalAttentionOptions>(); }

FullLayers AttentionKinds::full_layers() const {
  return is_local() ? choice_->get<LocalAttentionOptions>().full_layers : FullLayers();
}

const AttentionLimits& AttentionKinds::limits() const {
  return choice_->visit([](const auto& kind) -> const AttentionLimits& { return kind.kLimits; });
}

bool AttentionKinds::has_tables() const {
  return choice_->visit([](const auto& kind) {
    return requires { kind.kHasTables; };
  });
}

void AttentionKinds::check() const {
  choice_->visit([](const auto& kind) {
    if constexpr (requires { kind.check(); }) kind.check();
  });
}

AttentionKind AttentionKinds::make(const AttentionDims& dims) const {
  return choice_->visit([&](const auto& kind) -> AttentionKind { return kind.make(dims); });
}

void AttentionKinds::visit(options::FieldVisitor& v) {
  options::choice(v, "attention", static_cast<ListedAttentionKinds&>(*choice_),
                  {.help = "which rows a row sees in self-attention"});
}

bool AttentionKind::has_queries() const {
  return std::visit([]<class Kind>(const Kind&) { return Kind::kHasQueries; }, *module_);
}

bool AttentionKind::has_keys() const {
  return std::visit([]<class Kind>(const Kind&) { return Kind::kHasKeys; }, *module_);
}

bool AttentionKind::keeps_state() const {
  return std::visit(
      []<class Kind>(const Kind&) {
        return requires { requires Kind::kKeepsState; };
      },
      *module_);
}

kernels::AttentionPattern AttentionKind::cache_pattern() const {
  const auto* dot_product = std::get_if<DotProductAttention>(&*module_);
  return dot_product != nullptr ? dot_product->pattern : kernels::AttentionPattern();
}

int64_t AttentionKind::dropout_streams(int64_t heads) const {
  return std::visit([&](const auto& kind) { return kind.dropout_streams(heads); }, *module_);
}

namespace {

[[noreturn]] void fail_not_causal() {
  fail<ShapeError>("attention", "its kind has no cache; expected one that is causal");
}

}  // namespace

Tensor AttentionKind::forward(const SelfInput& in, const Context& context) const {
  return std::visit([&](const auto& kind) { return kind.forward(in, context); }, *module_);
}

Tensor AttentionKind::prefill(const SelfInput& in, KvCache& cache, const Context& context) const {
  return std::visit(
      [&](const auto& kind) -> Tensor {
        if constexpr (requires { kind.prefill(in, cache, context); }) {
          return kind.prefill(in, cache, context);
        } else {
          fail_not_causal();
        }
      },
      *module_);
}

Tensor AttentionKind::step(const SelfInput& in, KvCache& cache, const Context& context) const {
  return std::visit(
      [&](const auto& kind) -> Tensor {
        if constexpr (requires { kind.step(in, cache, context); }) {
          return kind.step(in, cache, context);
        } else {
          fail_not_causal();
        }
      },
      *module_);
}

Tensor AttentionKind::output(const Tensor& x, const Tensor& projected,
                             const Context& context) const {
  return std::visit(
      [&](const auto& kind) {
        if constexpr (requires { kind.output(x, projected, context); }) {
          return kind.output(x, projected, context);
        } else {
          return projected;
        }
      },
      *module_);
}

std::vector<NamedParameter> AttentionKind::parameters() {
  return std::visit([](auto& kind) { return parameters_of(kind); }, *module_);
}

}  // namespace weft::nn
