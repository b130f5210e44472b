#include "weft/autograd/tape.h"

#include <algorithm>

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::autograd {
namespace {

constexpr size_t kArenaBlock = size_t{1} << 16;

}  // namespace

Tensor Tape::watch(Tensor x) {
  x.node = new_slot(x);
  watched_.push_back(x.node);
  return x;
}

int32_t Tape::new_slot(const Tensor& value) {
  slots_.push_back({.gradient = {}, .shape = value.shape(), .dtype = value.dtype()});
  return static_cast<int32_t>(slots_.size()) - 1;
}

Tape::Slot& Tape::slot_of(const Tensor& x) {
  const auto id = static_cast<size_t>(x.node);
  if (id >= slots_.size()) fail("tape", "a tensor of another pass; expected one made on this tape");
  return slots_[id];
}

SavedTensor Tape::save(const Tensor& x) {
  Recomputable* const op = x.node >= 0 ? slot_of(x).recomputable : nullptr;
  return op != nullptr ? SavedTensor(*op) : SavedTensor(x);
}

void* Tape::arena_take(size_t bytes) {
  bytes = (bytes + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) *
          alignof(std::max_align_t);
  if (bytes > kArenaBlock) fail("tape", "an op saves {} bytes of its own", bytes);
  if (arena_.empty() || arena_used_ + bytes > kArenaBlock) {
    if (!arena_.empty()) ++arena_block_;
    if (arena_block_ == arena_.size()) {
      arena_.push_back(std::make_unique<std::byte[]>(kArenaBlock));
    }
    arena_used_ = 0;
  }
  void* out = arena_[arena_block_].get() + arena_used_;
  arena_used_ += bytes;
  return out;
}

void* Tape::begin_node(std::initializer_list<Tensor*> outputs,
                       std::span<const Tensor* const> inputs, size_t closure_bytes) {
  const auto requires_grad = [](const Tensor* x) { return *x && x->node != kConstant; };
  if (std::none_of(inputs.begin(), inputs.end(), requires_grad)) return nullptr;
  Node node;
  node.first_output = static_cast<int32_t>(slots_.size());
  node.outputs = static_cast<int32_t>(outputs.size());
  node.first_input = static_cast<int32_t>(inputs_.size());
  node.inputs = static_cast<int32_t>(inputs.size());
  for (const Tensor* x : inputs) {
    const bool is_wanted = requires_grad(x);
    if (is_wanted && x->node >= 0 && slot_of(*x).is_split) {
      fail("tape", "a split tensor is used again; expected only its parts");
    }
    inputs_.push_back({is_wanted ? x->node : kConstant, x->dtype(), x->shape(),
                       is_wanted && x->node == kParameter ? x->storage_offset() : 0});
  }
  for (Tensor* y : outputs) y->node = new_slot(*y);
  void* memory = arena_take(closure_bytes);
  nodes_.push_back(node);
  return memory;
}

std::vector<Tensor> split(Tape* tape, const Tensor& x, std::initializer_list<int64_t> widths) {
  if (tape != nullptr) return tape->split(x, widths);
  return Tape::columns(x, widths);
}

std::vector<Tensor> Tape::columns(const Tensor& x, std::initializer_list<int64_t> widths) {
  std::vector<Tensor> views;
  int64_t begin = 0;
  for (const int64_t width : widths) {
    views.push_back(x.col_range(begin, begin + width));
    begin += width;
  }
  if (begin != x.cols()) {
    fail<ShapeError>("split", "widths sum to {}; expected {}", begin, x.cols());
  }
  return views;
}

std::vector<Tensor> Tape::split(const Tensor& x, std::initializer_list<int64_t> widths) {
  std::vector<Tensor> views = columns(x, widths);
  if (x.node == kParameter) fail("split", "a parameter; expected a value that an op made");
  if (x.node < 0) return views;
  if (std::exchange(slot_of(x).is_split, true)) {
    fail("tape", "a split tensor is used again; expected only its parts");
  }
  int64_t begin = 0;
  for (Tensor& view : views) {
    view.node = new_slot(view);
    slots_.back().alias = x.node;
    slots_.back().alias_begin = begin;
    begin += view.cols();
  }
  // Columns that no op wrote are zero; a view needs no node of its own besides.
  void* memory = nullptr;
  const int32_t first = views.front().node;
  const auto count = static_cast<int32_t>(views.size());
  const auto settle = [this, first, count](Backward&) {
    bool any = false;
    for (int32_t i = first; i < first + count; ++i) any = any || slots_[i].gradient;
    for (int32_t i = first; any && i < first + count; ++i) {
      Slot& slot = slots_[static_cast<size_t>(i)];
      if (!slot.gradient) {
        const Tensor columns = aliased(slot);
        backend_of(columns)(kernels::Fill{.y = columns, .value = 0});
      }
      slot.gradient = Tensor();
    }
  };
  Node node;
  node.first_output = first;
  node.outputs = count;
  memory = arena_take(sizeof(Closure<decltype(settle)>));
  node.op = new (memory) Closure<decltype(settle)>(settle);
  nodes_.push_back(node);
  return views;
}

Tensor Tape::aliased(Slot& slot) {
  Slot& base = slots_[static_cast<size_t>(slot.alias)];
  if (!base.gradient) {
    base.gradient = base.alias >= 0 ? aliased(base) : Tensor::empty(base.shape, base.dtype);
  }
  return base.gradient.col_range(slot.alias_begin, slot.alias_begin + slot.shape.cols());
}

std::vector<ParameterUse> Tape::completions_of(int64_t parameters) const {
  std::vector<ParameterUse> uses;
  for (size_t n = 0; n < nodes_.size(); ++n) {
    for (int32_t i = 0; i < nodes_[n].inputs; ++i) {
      const Input& input = inputs_[nodes_[n].first_input + i];
      if (input.node != kParameter) continue;
      uses.push_back({static_cast<int32_t>(n), input.offset, input.offset + input.shape.size()});
    }
  }
  return completions(uses, parameters);
}

void Tape::run_back(size_t n, Gradients& into) {
  const Node& node = nodes_[n];
  bool reached = false;
  for (int32_t k = 0; k < node.outputs; ++k) {
    reached = reached || slots_[node.first_output + k].gradient;
  }
  Backward pass(*this, into, n);
  if (reached) node.op->run(pass);
  for (int32_t k = 0; k < node.outputs; ++k) {
    slots_[node.first_output + k].gradient = Tensor();
  }
  std::destroy_at(node.op);
  nodes_[n].op = nullptr;
}

void Tape::backward(const Tensor& loss, Gradients& into, double seed, GradientObserver* observer) {
  if (loss.size() != 1) {
    fail<ShapeError>("backward", "expected a loss of one element made on this tape, got {}",
                     loss.shape().text());
  }
  backward(loss, Tensor::full(loss.shape(), seed, loss.dtype()), into, observer);
}

void Tape::backward(const Tensor& y, const Tensor& d_y, Gradients& into,
                    GradientObserver* observer) {
  if (y.node < 0 || static_cast<size_t>(y.node) >= slots_.size()) {
    fail<ShapeError>("backward", "expected a value made on this tape, got one of shape {}",
                     y.shape().text());
  }
  check_shape("backward", "d_y", d_y, y.rows(), y.cols());
  slots_[static_cast<size_t>(y.node)].gradient = d_y;
  std::vector<ParameterUse> final;
  if (observer != nullptr) final = completions_of(into.flat_ ? into.flat_.size() : 0);
  auto next = final.begin();
  const auto tell = [&](int64_t node) {
    for (; next != final.end() && next->node >= node; ++next) {
      into.settle(next->begin, next->end);
      observer->completed(next->begin, next->end);
    }
  };
  for (size_t n = nodes_.size(); n-- > 0;) {
    run_back(n, into);
    tell(static_cast<int64_t>(n));
  }
  tell(-1);
  into.watched_.clear();
  for (const int32_t id : watched_) {
    Slot& slot = slots_[static_cast<size_t>(id)];
    if (!slot.gradient) slot.gradient = Tensor::zeros(slot.shape, slot.dtype);
    into.watched_.emplace_back(id, slot.gradient);
  }
  reset();
}

void Tape::reset() {
  for (size_t n = nodes_.size(); n-- > 0;) {
    if (nodes_[n].op != nullptr) std::destroy_at(nodes_[n].op);
  }
  nodes_.clear();
  inputs_.clear();
  slots_.clear();
  watched_.clear();
  arena_block_ = 0;
  arena_used_ = 0;
}

Tensor Backward::d_output(int k) const {
  const int32_t slot = tape_.nodes_[node_].first_output + k;
  return tape_.slots_[slot].gradient;
}

Tensor Backward::target(int i, bool& fresh) {
  const Tape::Input& in = input(i);
  if (in.node == kParameter) {
    check_has_parameters();
    return into_.target(in.offset, in.shape, fresh);
  }
  Tape::Slot& slot = tape_.slots_[static_cast<size_t>(in.node)];
  fresh = !slot.gradient;
  if (fresh) {
    slot.gradient = slot.alias >= 0 ? tape_.aliased(slot) : Tensor::empty(slot.shape, slot.dtype);
  } else if (slot.alias < 0 && !slot.gradient.is_unique()) {
    slot.gradient = slot.gradient.clone();
  }
  return slot.gradient;
}

Tensor Backward::target_rows(int i, std::span<const int32_t> rows) {
  const Tape::Input& in = input(i);
  check_has_parameters();
  return into_.target_rows(in.offset, in.shape, rows);
}

void Backward::check_has_parameters() const {
  if (into_.has_parameters()) return;
  fail("gradients", "no memory for gradients of parameters; expected Gradients(parameters)");
}

void Backward::clear(const Tensor& gradient) {
  backend_of(gradient)(kernels::Fill{.y = gradient, .value = 0});
}

void Backward::add_to(const Tensor& gradient, const Tensor& extra) {
  backend_of(gradient)(kernels::Accumulate{.alpha = 1, .x = extra, .y = gradient});
}

void Backward::add(int i, Tensor gradient) {
  if (!wants(i)) return;
  const Tape::Input& in = input(i);
  if (has_no_target(i) && tape_.slots_[static_cast<size_t>(in.node)].alias < 0) {
    gradient.node = kConstant;
    tape_.slots_[static_cast<size_t>(in.node)].gradient = std::move(gradient);
    return;
  }
  bool fresh = false;
  const Tensor to = target(i, fresh);
  if (fresh) {
    backend_of(to)(kernels::Copy{.x = gradient, .y = to});
  } else {
    add_to(to, gradient);
  }
}

}  // namespace weft::autograd
