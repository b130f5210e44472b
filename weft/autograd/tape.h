// Reverse-mode differentiation: ops record themselves while they run, the tape runs them back.
// It knows no op by name. One tape serves one forward and one backward pass.
#ifndef WEFT_AUTOGRAD_TAPE_H_
#define WEFT_AUTOGRAD_TAPE_H_

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/autograd/completion.h"
#include "weft/autograd/gradients.h"
#include "weft/autograd/saved_tensor.h"
#include "weft/tensor/tensor.h"

namespace weft::autograd {

class Backward;

class Tape {
 public:
  Tape() = default;
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;
  ~Tape() { reset(); }

  // Makes a tensor that no op of this tape made require a gradient, which backward returns.
  Tensor watch(Tensor x);

  // Keeps `backward(Backward&)` for the values `outputs`, which depend on `inputs`. What the
  // closure captures is what the op saves; it is freed as soon as it has run. Throws Error for an
  // input of another pass or one that was split.
  template <class F>
  void record(std::initializer_list<Tensor*> outputs, std::initializer_list<const Tensor*> inputs,
              F backward) {
    record(outputs, std::span(inputs.begin(), inputs.size()), std::move(backward));
  }
  template <class F>
  void record(std::initializer_list<Tensor*> outputs, std::span<const Tensor* const> inputs,
              F backward) {
    static_assert(alignof(F) <= alignof(std::max_align_t));
    void* memory = begin_node(outputs, inputs, sizeof(Closure<F>));
    if (memory == nullptr) return;
    auto* op = new (memory) Closure<F>(std::move(backward));
    nodes_.back().op = op;
    if constexpr (std::is_base_of_v<Recomputable, F>) {
      slots_[static_cast<size_t>(nodes_.back().first_output) + F::kRecomputed].recomputable =
          &op->function;
    }
  }

  // For an op that needs x in backward: x, or the op of this tape that recomputes it. Only the op's
  // closure may hold it, which is destroyed before that of the op that made x.
  SavedTensor save(const Tensor& x);

  // Views of x's columns, `widths` of them: an op that writes the gradient of a view writes into
  // x's own. Throws ShapeError unless the widths sum to x.cols(), and Error for a parameter or an x
  // split before; x itself may not be used by a later op.
  std::vector<Tensor> split(const Tensor& x, std::initializer_list<int64_t> widths);

  // Those views alone, without a record.
  static std::vector<Tensor> columns(const Tensor& x, std::initializer_list<int64_t> widths);

  // Runs back from `loss` (one element) with d_loss = `seed`, adding to `into`, and tells the
  // observer, where there is one, what is final. The tape is empty afterwards. Throws ShapeError
  // when loss is no value of this tape.
  void backward(const Tensor& loss, Gradients& into, double seed = 1,
                GradientObserver* observer = nullptr);
  // The same from a value y of any shape, whose own gradient is d_y.
  void backward(const Tensor& y, const Tensor& d_y, Gradients& into,
                GradientObserver* observer = nullptr);

  // Ops recorded since the tape was empty.
  size_t size() const { return nodes_.size(); }
  void reset();

 private:
  friend class Backward;
  struct Recorded {
    virtual ~Recorded() = default;
    virtual void run(Backward& b) = 0;
  };
  template <class F>
  struct Closure final : Recorded {
    explicit Closure(F f) : function(std::move(f)) {}
    void run(Backward& b) override { function(b); }
    F function;
  };
  struct Input {
    int32_t node = kConstant;
    DType dtype = DType::kF32;
    Shape shape;
    int64_t offset = 0;  // of a parameter in the flat buffer
  };
  struct Node {
    Recorded* op = nullptr;
    int32_t first_output = 0;
    int32_t outputs = 0;
    int32_t first_input = 0;
    int32_t inputs = 0;
  };
  // The gradient of one value while backward runs. One with an alias is a column range of that
  // slot's gradient.
  struct Slot {
    Tensor gradient;
    Recomputable* recomputable = nullptr;
    int32_t alias = -1;
    int64_t alias_begin = 0;
    bool is_split = false;
    Shape shape;
    DType dtype = DType::kF32;
  };

  void* begin_node(std::initializer_list<Tensor*> outputs, std::span<const Tensor* const> inputs,
                   size_t closure_bytes);
  int32_t new_slot(const Tensor& value);
  Slot& slot_of(const Tensor& x);
  void* arena_take(size_t bytes);
  Tensor aliased(Slot& slot);
  void run_back(size_t n, Gradients& into);
  std::vector<ParameterUse> completions_of(int64_t parameters) const;

  std::vector<Node> nodes_;
  std::vector<Input> inputs_;
  std::vector<Slot> slots_;
  std::vector<int32_t> watched_;
  std::vector<std::unique_ptr<std::byte[]>> arena_;
  size_t arena_block_ = 0;  // in use
  size_t arena_used_ = 0;   // bytes of that block
};

// What an op sees of a backward pass: the gradients of its outputs, and where those of its inputs
// go. Inputs and outputs are numbered as they were recorded.
class Backward {
 public:
  // dL/d(output k); an empty tensor when nothing depends on that output.
  Tensor d_output(int k = 0) const;
  // Where this pass puts gradients of parameters and of watched tensors.
  Gradients& gradients() const { return into_; }
  // False for an input that needs no gradient.
  bool wants(int i) const { return input(i).node != kConstant; }

  // Each does nothing for an input that needs no gradient.
  void add(int i, Tensor gradient);
  // write(d_x) overwrites d_x.
  template <class F>
  void write(int i, F write) {
    if (!wants(i)) return;
    bool fresh = false;
    Tensor to = target(i, fresh);
    if (fresh) {
      write(to);
      return;
    }
    Tensor extra = Tensor::empty(to.shape(), to.dtype());
    write(extra);
    add_to(to, extra);
  }
  // write(d) overwrites the gradients of all inputs at once; d[i] is empty where none is wanted.
  template <class F>
  void write_all(F write) {
    const int count = tape_.nodes_[node_].inputs;
    std::vector<Tensor> d(static_cast<size_t>(count));
    std::vector<int> extra;
    for (int i = 0; i < count; ++i) {
      if (!wants(i)) continue;
      bool fresh = has_no_target(i);
      if (!fresh) extra.push_back(i);
      d[static_cast<size_t>(i)] =
          fresh ? target(i, fresh) : Tensor::empty(input(i).shape, input(i).dtype);
    }
    write(std::span<const Tensor>(d));
    for (const int i : extra) add(i, d[static_cast<size_t>(i)]);
  }
  // accumulate(d_x) adds to d_x.
  template <class F>
  void accumulate(int i, F accumulate) {
    if (!wants(i)) return;
    bool fresh = false;
    Tensor to = target(i, fresh);
    if (fresh) clear(to);
    accumulate(to);
  }
  // accumulate(d_x) adds to the listed rows of the matrix d_x and to no others. A row may be listed
  // more than once.
  template <class F>
  void accumulate_rows(int i, std::span<const int32_t> rows, F accumulate) {
    if (!wants(i)) return;
    if (input(i).node != kParameter) return this->accumulate(i, accumulate);
    accumulate(target_rows(i, rows));
  }
  // product(d_x, beta) computes d_x = ... + beta d_x.
  template <class F>
  void product(int i, F product) {
    if (!wants(i)) return;
    bool fresh = false;
    Tensor to = target(i, fresh);
    product(to, fresh ? 0.0f : 1.0f);
  }

 private:
  friend class Tape;
  Backward(Tape& tape, Gradients& into, size_t node) : tape_(tape), into_(into), node_(node) {}
  static void clear(const Tensor& gradient);
  static void add_to(const Tensor& gradient, const Tensor& extra);
  const Tape::Input& input(int i) const {
    return tape_.inputs_[tape_.nodes_[node_].first_input + i];
  }
  bool has_no_target(int i) const {
    const int32_t node = input(i).node;
    return node >= 0 && !tape_.slots_[static_cast<size_t>(node)].gradient;
  }
  // Where the gradient of input i accumulates; `fresh` when nothing is there yet.
  Tensor target(int i, bool& fresh);
  // The gradient of parameter i, whose listed rows the caller adds to.
  Tensor target_rows(int i, std::span<const int32_t> rows);
  void check_has_parameters() const;

  Tape& tape_;
  Gradients& into_;
  size_t node_;
};

// d itself, or a scratch buffer for a kernel that writes what nobody wants.
inline Tensor or_scratch(const Tensor& d, const Tensor& like) {
  return d ? d : Tensor::empty(like.shape(), like.dtype());
}

// Records y = f(inputs) when there is a tape and an input requires a gradient.
template <class F>
void record(Tape* tape, Tensor& y, std::initializer_list<const Tensor*> inputs, F backward) {
  if (tape != nullptr) tape->record({&y}, inputs, std::move(backward));
}

// What an op saves of x, with or without a tape.
inline SavedTensor save(Tape* tape, const Tensor& x) {
  return tape != nullptr ? tape->save(x) : SavedTensor(x);
}

// The columns of x as views, with or without a tape.
std::vector<Tensor> split(Tape* tape, const Tensor& x, std::initializer_list<int64_t> widths);

}  // namespace weft::autograd

#endif  // WEFT_AUTOGRAD_TAPE_H_
