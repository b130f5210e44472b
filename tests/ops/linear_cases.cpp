#include <fmt/core.h>

#include "tests/ops/op_cases.h"
#include "weft/ops/fused/linear.h"
#include "weft/ops/fused/low_rank.h"
#include "weft/ops/scale.h"
#include "weft/ops/slice.h"

namespace weft::ops::test {
namespace {

void add_linear(Cases& cases) {
  struct Size {
    int64_t n, in, out;
  };
  const std::pair<const char*, Activation> activations[] = {{"none", Activation::kNone},
                                                            {"relu", Activation::kRelu},
                                                            {"gelu", Activation::kGelu},
                                                            {"gelu tanh", Activation::kGeluTanh},
                                                            {"silu", Activation::kSilu}};
  for (const auto& [name, kind] : activations) {
    for (const Size s : {Size{1, 1, 1}, Size{1, 5, 3}, Size{5, 3, 7}, Size{97, 130, 66}}) {
      for (const bool has_bias : {false, true}) {
        std::vector<Shape> inputs{{s.n, s.in}, {s.out, s.in}};
        if (has_bias) inputs.push_back({1, s.out});
        OpCase c = fused(fmt::format("linear {} [{}, {}] to {}{}", name, s.n, s.in, s.out,
                                     has_bias ? ", bias" : ""),
                         std::move(inputs), [kind = kind](Inputs in, Tape* tape) {
                           const Tensor bias = in.size() > 2 ? in[2] : Tensor();
                           return linear(in[0], {in[1], bias}, kind, tape);
                         });
        cases.push_back(s.n > 50 ? large(std::move(c)) : std::move(c));
      }
    }
  }
  for (const auto& [name, kind] : activations) {
    for (const bool is_large : {false, true}) {
      const LayoutPtr where = is_large ? lengths({60, 0, 1, 36}) : lengths({3, 0, 2});
      const DropoutParams drop = make_dropout(0.3, {1, 2}, 5, where);
      const Shape x = is_large ? Shape{97, 130} : Shape{5, 3};
      const int64_t out = is_large ? 66 : 7;
      OpCase c = fused(fmt::format("linear {} [{}, {}] to {}, dropout", name, x[0], x[1], out),
                       {x, {out, x[1]}, {1, out}}, [kind = kind, drop](Inputs in, Tape* tape) {
                         return linear(in[0], {in[1], in[2]}, {kind, drop}, tape);
                       });
      cases.push_back(is_large ? large(std::move(c)) : std::move(c));
    }
  }
  cases.push_back(fused("linear of its own weight", {{3, 5}}, [](Inputs in, Tape* tape) {
    return linear(in[0], {in[0], Tensor()}, Activation::kRelu, tape);
  }));
  cases.push_back(fused("linear of no rows", {{0, 5}, {3, 5}, {1, 3}}, [](Inputs in, Tape* tape) {
    return linear(in[0], {in[1], in[2]}, Activation::kNone, tape);
  }));
  cases.push_back(
      fused("linear twice with one weight", {{4, 3}, {3, 3}, {1, 3}}, [](Inputs in, Tape* tape) {
        const Tensor h = linear(in[0], {in[1], in[2]}, Activation::kRelu, tape);
        return linear(h, {in[1], in[2]}, Activation::kNone, tape);
      }));
  cases.push_back(fused(
      "linear on columns of a wider tensor", {{4, 9}, {3, 4}, {1, 3}}, [](Inputs in, Tape* tape) {
        return linear(slice_cols(in[0], 2, 6, tape), {in[1], in[2]}, Activation::kSilu, tape);
      }));
}

void add_low_rank_updates(Cases& cases) {
  // Parts of y are updated: the first and the last, one in the middle, and all.
  const auto run = [](Inputs in, Tape* tape, int64_t begin) {
    const Tensor y = scale(in[0], 1, tape);
    const int64_t rank = in[2].cols();
    const LowRankPart parts[] = {{in[2], 0, begin}, {in[3], rank, y.cols() - in[3].rows()}};
    return add_low_rank(y, in[1], parts, tape);
  };
  for (const int64_t begin : {0, 1}) {
    cases.push_back(fused(fmt::format("low_rank from {}", begin), {{5, 9}, {5, 5}, {4, 2}, {3, 3}},
                          [=](Inputs in, Tape* tape) { return run(in, tape, begin); }));
  }
  cases.push_back(
      fused("low_rank of all columns", {{3, 4}, {3, 2}, {4, 2}}, [](Inputs in, Tape* tape) {
        const LowRankPart parts[] = {{in[2], 0, 0}};
        return add_low_rank(scale(in[0], 1, tape), in[1], parts, tape);
      }));
  cases.push_back(large(fused("low_rank [97, 130]", {{97, 130}, {97, 16}, {66, 8}, {64, 8}},
                              [=](Inputs in, Tape* tape) { return run(in, tape, 0); })));
}

}  // namespace

void add_linear_cases(Cases& cases) {
  add_linear(cases);
  add_low_rank_updates(cases);
}

}  // namespace weft::ops::test
