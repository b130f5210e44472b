#include "tests/ops/op_cases.h"

#include <fmt/core.h>

#include "weft/ops/activation.h"
#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/embedding.h"
#include "weft/ops/layer_norm.h"
#include "weft/ops/losses/cross_entropy.h"
#include "weft/ops/matmul.h"
#include "weft/ops/reshape.h"
#include "weft/ops/rotary.h"
#include "weft/ops/scale.h"
#include "weft/ops/slice.h"
#include "weft/ops/softmax.h"
#include "weft/ops/sum.h"

namespace weft::ops::test {
namespace {

struct NamedActivation {
  const char* name;
  Activation kind;
};
constexpr NamedActivation kActivations[] = {
    {"none", Activation::kNone},       {"relu", Activation::kRelu},
    {"gelu", Activation::kGelu},       {"gelu tanh", Activation::kGeluTanh},
    {"silu", Activation::kSilu},       {"tanh", Activation::kTanh},
    {"sigmoid", Activation::kSigmoid}, {"elu plus one", Activation::kEluPlusOne}};

void add_elementwise(Cases& cases) {
  for (const Shape shape : {Shape{1, 1}, Shape{1, 8}, Shape{3, 5}, Shape{70, 129}}) {
    const bool large = shape.size() > 1000;
    const auto put = [&](const std::string& name, std::vector<Shape> inputs,
                         autograd::CheckedFunction run) {
      cases.push_back({name + " " + shape.text(), std::move(inputs), std::move(run), false, large,
                       large ? kLongSums : kRounding});
    };
    put("add", {shape, shape}, [](Inputs in, Tape* tape) { return add(in[0], in[1], tape); });
    put("add to itself", {shape}, [](Inputs in, Tape* tape) { return add(in[0], in[0], tape); });
    put("add_bias", {shape, {1, shape.cols()}},
        [](Inputs in, Tape* tape) { return add_bias(in[0], in[1], tape); });
    put("scale", {shape}, [](Inputs in, Tape* tape) { return scale(in[0], -0.7, tape); });
    put("scale by nothing", {shape}, [](Inputs in, Tape* tape) { return scale(in[0], 0, tape); });
    put("scale_by", {shape, {1, 1}},
        [](Inputs in, Tape* tape) { return scale_by(in[0], in[1], tape); });
    put("multiply", {shape, shape},
        [](Inputs in, Tape* tape) { return multiply(in[0], in[1], tape); });
    put("divide", {shape, shape}, [](Inputs in, Tape* tape) {
      return divide(in[0], activate(Activation::kEluPlusOne, in[1], tape), tape);
    });
    put("square", {shape}, [](Inputs in, Tape* tape) { return multiply(in[0], in[0], tape); });
    put("sum", {shape}, [](Inputs in, Tape* tape) { return sum(in[0], tape); });
    put("sum of squares", {shape},
        [](Inputs in, Tape* tape) { return sum(multiply(in[0], in[0], tape), tape); });
  }
}

void add_activations(Cases& cases) {
  for (const NamedActivation& act : kActivations) {
    for (const Shape shape : {Shape{1, 2}, Shape{3, 10}, Shape{65, 130}}) {
      const bool large = shape.size() > 1000;
      cases.push_back(
          {fmt::format("activate {} {}", act.name, shape.text()),
           {shape},
           [kind = act.kind](Inputs in, Tape* tape) { return activate(kind, in[0], tape); },
           false,
           large});
      cases.push_back({fmt::format("gate {} {}", act.name, shape.text()),
                       {shape},
                       [kind = act.kind](Inputs in, Tape* tape) { return gate(kind, in[0], tape); },
                       false,
                       large});
    }
  }
}

void add_row_ops(Cases& cases) {
  for (const Shape shape : {Shape{1, 1}, Shape{1, 9}, Shape{5, 7}, Shape{3, 16}, Shape{66, 133}}) {
    const bool large = shape.size() > 1000;
    const auto put = [&](const std::string& name, std::vector<Shape> inputs,
                         autograd::CheckedFunction run) {
      cases.push_back({name + " " + shape.text(), std::move(inputs), std::move(run), false, large,
                       large ? kLongSums : kRounding});
    };
    put("softmax", {shape}, [](Inputs in, Tape* tape) { return softmax(in[0], tape); });
    put("log_softmax", {shape}, [](Inputs in, Tape* tape) { return log_softmax(in[0], tape); });
    const Shape row{1, shape.cols()};
    put("layer_norm", {shape, row, row}, [](Inputs in, Tape* tape) {
      return layer_norm(in[0], {in[1], in[2], 1e-3}, tape);
    });
    put("layer_norm with gamma as beta", {shape, row}, [](Inputs in, Tape* tape) {
      return layer_norm(in[0], {in[1], in[1]}, tape);
    });
  }
  cases.push_back({"layer_norm of its own weights", {{1, 6}}, [](Inputs in, Tape* tape) {
                     return layer_norm(in[0], {in[0], in[0]}, tape);
                   }});
}

void add_slices(Cases& cases) {
  const auto put = [&](const char* name, std::vector<Shape> inputs, autograd::CheckedFunction run) {
    cases.push_back({name, std::move(inputs), std::move(run)});
  };
  put("slice_rows, the first", {{4, 3}},
      [](Inputs in, Tape* tape) { return slice_rows(in[0], 0, 1, tape); });
  put("slice_rows, none", {{4, 3}},
      [](Inputs in, Tape* tape) { return slice_rows(in[0], 2, 2, tape); });
  put("slice_cols, the last two", {{4, 5}},
      [](Inputs in, Tape* tape) { return slice_cols(in[0], 3, 5, tape); });
  put("slice of a slice", {{5, 6}},
      [](Inputs in, Tape* tape) { return slice_cols(slice_rows(in[0], 1, 4, tape), 2, 5, tape); });
  put("slices that overlap", {{5, 3}}, [](Inputs in, Tape* tape) {
    return multiply(slice_rows(in[0], 0, 4, tape), slice_rows(in[0], 1, 5, tape), tape);
  });
  put("a slice and the whole", {{3, 6}}, [](Inputs in, Tape* tape) {
    return concat_cols(slice_cols(in[0], 1, 3, tape), scale(in[0], 2, tape), tape);
  });
  put("reshape of a slice, and twice", {{4, 9}}, [](Inputs in, Tape* tape) {
    const Tensor part = slice_cols(in[0], 1, 7, tape);
    const Tensor tall = reshape(part, {12, 2}, tape);
    return multiply(reshape(tall, {4, 6}, tape), part, tape);
  });
  put("ops on strided slices", {{3, 12}, {1, 4}}, [](Inputs in, Tape* tape) {
    const Tensor left = slice_cols(in[0], 0, 4, tape), right = slice_cols(in[0], 5, 9, tape);
    const Tensor y = softmax(matmul(left, right, {.b = true}, tape), tape);  // [N, N]
    return layer_norm(matmul(y, add_bias(left, in[1], tape), {}, tape), {in[1], in[1]}, tape);
  });
  put("concat_rows", {{1, 3}, {4, 3}},
      [](Inputs in, Tape* tape) { return concat_rows(in[0], in[1], tape); });
  put("concat_rows with none", {{0, 3}, {4, 3}},
      [](Inputs in, Tape* tape) { return concat_rows(in[0], in[1], tape); });
  put("concat_cols", {{3, 1}, {3, 5}},
      [](Inputs in, Tape* tape) { return concat_cols(in[0], in[1], tape); });
  put("concat_cols with itself", {{3, 2}},
      [](Inputs in, Tape* tape) { return concat_cols(in[0], in[0], tape); });
}

void add_products(Cases& cases) {
  struct Size {
    int64_t m, k, n;
  };
  for (const Size s :
       {Size{1, 1, 1}, Size{1, 5, 3}, Size{7, 1, 4}, Size{5, 9, 6}, Size{67, 130, 35}}) {
    for (const Transposed t :
         {Transposed{}, Transposed{true, false}, Transposed{false, true}, Transposed{true, true}}) {
      const Shape a = t.a ? Shape{s.k, s.m} : Shape{s.m, s.k};
      const Shape b = t.b ? Shape{s.n, s.k} : Shape{s.k, s.n};
      const bool large = s.k > 100;
      cases.push_back(
          {fmt::format("matmul {}{} {}{}", a.text(), t.a ? "^T" : "", b.text(), t.b ? "^T" : ""),
           {a, b},
           [t](Inputs in, Tape* tape) { return matmul(in[0], in[1], t, tape); },
           false,
           large,
           large ? kLongSums : kRounding});
    }
  }
  cases.push_back({"matmul of itself", {{4, 4}}, [](Inputs in, Tape* tape) {
                     return matmul(in[0], in[0], {}, tape);
                   }});
  cases.push_back({"matmul with its own transpose", {{3, 5}}, [](Inputs in, Tape* tape) {
                     return matmul(in[0], in[0], {.b = true}, tape);
                   }});
  cases.push_back({"matmul over nothing", {{3, 0}, {0, 4}}, [](Inputs in, Tape* tape) {
                     return matmul(in[0], in[1], {}, tape);
                   }});
}

void add_tables(Cases& cases) {
  const auto put = [&](const char* name, Shape table, std::vector<int32_t> ids) {
    cases.push_back({name, {table}, [ids = make_ids(std::move(ids))](Inputs in, Tape* tape) {
                       return embedding(in[0], ids, 1.5, tape);
                     }});
  };
  put("embedding of one row", {4, 3}, {2});
  put("embedding with repeats, and rows unused", {6, 5}, {1, 5, 1, 0, 1});
  put("embedding of nothing", {2, 3}, {});
  for (const double p : {0.0, 0.4}) {
    for (const int64_t width : {1, 5, 130}) {
      const DropoutParams drop = make_dropout(p, {7, 11}, 3, make_layout({{0, 3, 3, 4}, 5}));
      cases.push_back({fmt::format("dropout {} [4, {}]", p, width),
                       {{4, width}},
                       [drop](Inputs in, Tape* tape) { return dropout(in[0], drop, tape); }});
    }
  }
}

void add_losses(Cases& cases) {
  for (const double smoothing : {0.0, 0.1, 1.0}) {
    for (const Shape shape : {Shape{1, 1}, Shape{1, 6}, Shape{5, 7}, Shape{65, 301}}) {
      std::vector<int32_t> targets;
      for (int32_t n = 0; n < shape.rows(); ++n) {
        targets.push_back(5 * n % static_cast<int32_t>(shape.cols()));
      }
      const bool large = shape.size() > 1000;
      cases.push_back({fmt::format("cross_entropy, smoothing {} {}", smoothing, shape.text()),
                       {shape},
                       [smoothing, ids = make_ids(targets)](Inputs in, Tape* tape) {
                         return cross_entropy(in[0], ids, {smoothing, 0.3}, tape).value;
                       },
                       false,
                       large,
                       large ? kLongSums : kRounding});
    }
  }
}

}  // namespace

void add_rotary(Cases& cases) {
  const std::tuple<const char*, Shape, int64_t, int64_t> all[] = {
      {"one pair", {3, 2}, 1, 1},
      {"two heads", {5, 12}, 2, 1},
      {"in the plane", {4, 24}, 3, 2},
      {"wide", {90, 204}, 3, 1},
  };
  for (const auto& [name, shape, heads, axes] : all) {
    std::vector<int32_t> position;
    for (int64_t i = 0; i < shape.rows() * axes; ++i) {
      position.push_back(static_cast<int32_t>((i * 7 + 3) % 50));
    }
    RotaryFrequencies frequencies = rotary_frequencies(100, shape.cols() / (2 * axes * heads));
    frequencies.magnitude = axes == 2 ? 1.25 : 1;
    const RotaryParams params{rotary_angles(position, axes, frequencies), heads};
    cases.push_back({fmt::format("rotary, {}", name),
                     {shape},
                     [params](Inputs in, Tape* tape) { return rotary(in[0], params, tape); },
                     false,
                     shape.rows() > 50});
  }
}

void add_plain_cases(Cases& cases) {
  add_elementwise(cases);
  add_activations(cases);
  add_row_ops(cases);
  add_slices(cases);
  add_products(cases);
  add_tables(cases);
  add_losses(cases);
  add_rotary(cases);
}

const Cases& op_cases() {
  static const Cases cases = [] {
    Cases out;
    add_plain_cases(out);
    add_linear_cases(out);
    add_fused_cases(out);
    add_norm_and_loss_cases(out);
    add_recurrent_cases(out);
    add_label_cases(out);
    return out;
  }();
  return cases;
}

}  // namespace weft::ops::test
