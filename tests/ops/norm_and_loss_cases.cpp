// The further norms and losses in the case table.
#include <fmt/core.h>

#include "tests/ops/op_cases.h"
#include "tests/support/tensors.h"
#include "weft/ops/batch_norm.h"
#include "weft/ops/drop_path.h"
#include "weft/ops/fused/distillation_loss.h"
#include "weft/ops/fused/paired_loss.h"
#include "weft/ops/fused/projection_ctc.h"
#include "weft/ops/fused/projection_loss.h"
#include "weft/ops/fused/residual_norm.h"
#include "weft/ops/fused/unlikelihood_loss.h"
#include "weft/ops/losses/ctc.h"
#include "weft/ops/losses/divergence.h"
#include "weft/ops/rows/mean_rows.h"
#include "weft/ops/scale.h"
#include "weft/ops/slice.h"

namespace weft::ops::test {
namespace {

struct NamedKind {
  const char* name;
  LossKind kind;
};
constexpr NamedKind kKinds[] = {{"cross-entropy", LossKind::kCrossEntropy},
                                {"kl", LossKind::kKl},
                                {"euclidean", LossKind::kEuclidean},
                                {"squared", LossKind::kSquaredEuclidean}};

OpCase make_case(std::string name, std::vector<Shape> inputs, autograd::CheckedFunction run,
                 bool is_fused, bool is_large = false) {
  return {std::move(name), std::move(inputs), std::move(run),
          is_fused,        is_large,          is_large ? kLongSums : kRounding};
}

// Weights of 0, 0.5, 1 and so on, not all the same.
RowWeights row_weights(int64_t rows) {
  std::vector<float> out;
  for (int64_t n = 0; n < rows; ++n) out.push_back(0.5f * static_cast<float>(n % 4));
  return std::make_shared<const std::vector<float>>(std::move(out));
}

Ids targets(int64_t rows, int64_t classes) {
  std::vector<int32_t> out;
  for (int64_t n = 0; n < rows; ++n) out.push_back(static_cast<int32_t>(3 * n % classes));
  return make_ids(std::move(out));
}

// Rows with 0, 1, 2 or 3 candidates, as far as there are classes.
LabelsPtr candidates(int64_t rows, int64_t classes) {
  data::Labels out;
  for (int64_t n = 0; n < rows; ++n) {
    std::vector<int32_t> row;
    for (int64_t k = 0; k < std::min(n % 4, classes - 1); ++k) {
      row.push_back(static_cast<int32_t>((n + 2 * k) % classes));
    }
    out.add(row);
  }
  return std::make_shared<const data::Labels>(std::move(out));
}

void add_norms(Cases& cases) {
  for (const Shape shape : {Shape{1, 1}, Shape{1, 9}, Shape{5, 7}, Shape{66, 133}}) {
    const bool is_large = shape.size() > 1000;
    const Shape row{1, shape.cols()};
    cases.push_back(make_case(
        "rms_norm " + shape.text(), {shape, row},
        [](Inputs in, Tape* tape) {
          return rms_norm(in[0], {in[1], 1e-3}, tape);
        },
        false, is_large));
    cases.push_back(make_case(
        "batch_norm " + shape.text(), {shape, row, row},
        [](Inputs in, Tape* tape) {
          const Tensor moments = column_moments(in[0]);
          return batch_norm(in[0], {in[1], in[2], 0.1}, {moments}, tape);
        },
        false, is_large));
    cases.push_back(make_case(
        "batch_norm, fixed " + shape.text(), {shape, row, row},
        [](Inputs in, Tape* tape) {
          const Tensor moments = Tensor::full({2, in[0].cols()}, 0.5, in[0].dtype());
          return batch_norm(in[0], {in[1], in[2]}, {moments, true}, tape);
        },
        false, is_large));
  }
  cases.push_back(make_case(
      "rms_norm of its own weight", {{1, 6}},
      [](Inputs in, Tape* tape) { return rms_norm(in[0], {in[0]}, tape); }, false));
}

void add_residuals(Cases& cases) {
  const LayoutPtr ragged = lengths({3, 0, 1, 2}, 9);  // 6 rows
  for (const double p : {0.0, 0.3}) {
    for (const double scale : {1.0, 1.7}) {
      const ResidualParams params{make_dropout(p, {1, 2}, 5, ragged), scale};
      const std::string options = fmt::format("dropout {}, scale {}", p, scale);
      const auto put = [&](const char* name, std::vector<Shape> inputs,
                           autograd::CheckedFunction run) {
        cases.push_back(make_case(fmt::format("{}, {}", name, options), std::move(inputs),
                                  std::move(run), true));
      };
      const std::vector<Shape> with_gamma{{6, 9}, {6, 9}, {1, 9}};
      put("residual_rms_norm both", with_gamma, [params](Inputs in, Tape* tape) {
        const auto r = residual_rms_norm(in[0], in[1], params, {in[2], 1e-3}, tape);
        return concat_cols(r.sum, r.norm, tape);
      });
      put("residual_rms_norm sum", with_gamma, [params](Inputs in, Tape* tape) {
        return residual_rms_norm(in[0], in[1], params, {in[2], 1e-3}, tape).sum;
      });
      put("residual_rms_norm norm", with_gamma, [params](Inputs in, Tape* tape) {
        return residual_rms_norm(in[0], in[1], params, {in[2], 1e-3}, tape).norm;
      });
      put("residual_norm scaled", {{6, 9}, {6, 9}, {1, 9}, {1, 9}},
          [params](Inputs in, Tape* tape) {
            return residual_norm(in[0], in[1], params, {in[2], in[3]}, tape).norm;
          });
      cases.push_back(make_case(
          "residual_sum, " + options, {{6, 9}, {6, 9}},
          [params](Inputs in, Tape* tape) { return residual_sum(in[0], in[1], params, tape); },
          false));
    }
    const DropoutParams path = make_dropout(p, {7, 8}, 3, ragged);
    cases.push_back(make_case(
        fmt::format("drop_path {}", p), {{6, 5}},
        [path](Inputs in, Tape* tape) { return drop_path(in[0], path, tape); }, false));
  }
}

void add_plain_losses(Cases& cases) {
  for (const Shape shape : {Shape{1, 1}, Shape{1, 6}, Shape{5, 7}, Shape{65, 301}}) {
    const bool is_large = shape.size() > 1000;
    for (const auto& [name, kind] : kKinds) {
      for (const double smoothing : {0.0, 0.1}) {
        const CrossEntropy options{smoothing, 0.3, kind, row_weights(shape.rows())};
        // One class is always right: |p - t| stands at its kink.
        if (shape.cols() == 1 && kind == LossKind::kEuclidean) continue;
        cases.push_back(make_case(
            fmt::format("cross_entropy as {}, smoothing {} {}", name, smoothing, shape.text()),
            {shape},
            [options, ids = targets(shape.rows(), shape.cols())](Inputs in, Tape* tape) {
              return cross_entropy(in[0], ids, options, tape).value;
            },
            false, is_large));
      }
    }
    for (const double temperature : {1.0, 2.5}) {
      const DivergenceParams options{temperature, 0.3, row_weights(shape.rows())};
      cases.push_back(make_case(
          fmt::format("divergence at {} {}", temperature, shape.text()), {shape, shape},
          [options](Inputs in, Tape* tape) {
            return divergence(in[0], in[1], options, tape).value;
          },
          false, is_large));
    }
    const UnlikelihoodParams unlikely{0.3, row_weights(shape.rows())};
    cases.push_back(make_case(
        fmt::format("unlikelihood {}", shape.text()), {shape},
        [unlikely, c = candidates(shape.rows(), shape.cols())](Inputs in, Tape* tape) {
          return unlikelihood(in[0], c, unlikely, tape).value;
        },
        false, is_large));
  }
  cases.push_back(make_case(
      "divergence from itself, scaled", {{3, 4}},
      [](Inputs in, Tape* tape) {
        const Tensor z = scale(in[0], -0.5, tape);
        return divergence(in[0], z, {}, tape).value;
      },
      false));
  const LabelsPtr labels = make_labels({1, 1, 2, 3, 2, 1, 2, 3}, {{0, 2, 2, 3, 5, 8}});
  OpCase c = make_case(
      "ctc", {{15, 4}},
      [labels, rows = lengths({5, 2, 1, 5, 2})](Inputs in, Tape* tape) {
        return ctc(in[0], rows, labels, {.blank = 0, .weight = 0.5}, tape).value;
      },
      false);
  c.tolerance = kLongSums;
  cases.push_back(std::move(c));
  cases.push_back(make_case(
      "mean_rows, one sequence without rows", {{9, 5}},
      [rows = lengths({4, 0, 1, 4})](Inputs in, Tape* tape) {
        return mean_rows(in[0], rows, tape);
      },
      false));
}

// Projections with a bias have a soft cap, too.
double cap_of(const Tensor& bias) { return bias ? 1.5 : 0; }

struct ProjectionSize {
  int64_t n, d, v;
};

void add_projected(Cases& cases, const ProjectionSize& s, bool has_bias) {
  const bool is_large = s.n > 1000;
  const Ids ids = targets(s.n, s.v);
  const CrossEntropy truth{0.1, 1.0 / static_cast<double>(s.n), LossKind::kCrossEntropy,
                           row_weights(s.n)};
  const std::string sizes =
      fmt::format("[{}, {}] to {}{}", s.n, s.d, s.v, has_bias ? ", bias" : "");
  const auto put = [&](const std::string& name, std::vector<Shape> inputs,
                       autograd::CheckedFunction run) {
    if (has_bias) inputs.push_back({1, s.v});
    cases.push_back(make_case(fmt::format("{} {}", name, sizes), std::move(inputs), std::move(run),
                              true, is_large));
  };
  for (const auto& [name, kind] : kKinds) {
    CrossEntropy options = truth;
    options.kind = kind;
    put(fmt::format("projection_loss as {}", name), {{s.n, s.d}, {s.v, s.d}},
        [options, ids](Inputs in, Tape* tape) {
          const Tensor bias = in.size() > 2 ? in[2] : Tensor();
          return projection_loss(in[0], {in[1], bias}, ids, options, tape).value;
        });
  }
  for (const double temperature : {1.0, 2.0}) {
    put(fmt::format("distillation_loss at {}", temperature), {{s.n, s.d}, {s.v, s.d}},
        [options = Distillation{truth, 0.3, temperature}, ids, s](Inputs in, Tape* tape) {
          const Tensor bias = in.size() > 2 ? in[2] : Tensor(), none;
          const DType type = in[0].dtype();
          const Tensor z = weft::test::random_tensor({s.n, s.d + 1}, 77, type);
          const Tensor w = weft::test::random_tensor({s.v, s.d + 1}, 78, type);
          const OutputLayer student{{in[1], bias}, cap_of(bias)};
          return distillation_loss({in[0], student}, {z, {{w, none}, 2}}, ids, options, tape).value;
        });
  }
  if (!has_bias) {
    cases.push_back(make_case(
        "distillation_loss of logits " + sizes, {{s.n, s.v}},
        [options = Distillation{truth, 0.3, 2}, ids, s](Inputs in, Tape* tape) {
          const Tensor z = weft::test::random_tensor({s.n, s.v}, 79, in[0].dtype());
          return distillation_loss(in[0], z, ids, options, tape).value;
        },
        false, is_large));
  }
  put("unlikelihood_loss", {{s.n, s.d}, {s.v, s.d}},
      [options = Unlikelihood{truth, 0.7}, ids, c = candidates(s.n, s.v)](Inputs in, Tape* tape) {
        const Tensor bias = in.size() > 2 ? in[2] : Tensor();
        const OutputLayer layer{{in[1], bias}, cap_of(bias)};
        return unlikelihood_loss(in[0], layer, {ids, c}, options, tape).value;
      });
  put("paired_loss", {{s.n, s.d}, {s.n, s.d}, {s.v, s.d}},
      [options = PairParams{truth, 3}, ids](Inputs in, Tape* tape) {
        const Tensor bias = in.size() > 3 ? in[3] : Tensor();
        const OutputLayer layer{{in[2], bias}, cap_of(bias)};
        return paired_loss({in[0], in[1]}, layer, ids, options, tape).value;
      });
}

// Several chunks of sequences, one of them larger than a chunk, one without rows, one impossible.
void add_projected_ctc(Cases& cases, bool has_bias) {
  const LabelsPtr labels = make_labels({1, 1, 2, 3, 2, 1, 2, 3}, {{0, 2, 2, 2, 3, 5, 8}});
  std::vector<Shape> inputs{{823, 3}, {5, 3}};
  if (has_bias) inputs.push_back({1, 5});
  OpCase c = make_case(
      fmt::format("projection_ctc{}", has_bias ? ", bias" : ""), inputs,
      [labels, rows = lengths({5, 2, 0, 600, 214, 2})](Inputs in, Tape* tape) {
        const Tensor bias = in.size() > 2 ? in[2] : Tensor();
        const CtcParams options{.blank = 4, .weight = 0.01};
        const OutputLayer layer{{in[1], bias}, cap_of(bias)};
        return projection_ctc(in[0], layer, {rows, labels}, options, tape).value;
      },
      true, true);
  c.tolerance = kLongSums;
  cases.push_back(c);
  c.name += ", few rows";
  c.inputs.front() = {15, 3};
  c.is_large = false;
  c.run = [labels, rows = lengths({5, 2, 0, 1, 5, 2})](Inputs in, Tape* tape) {
    const Tensor bias = in.size() > 2 ? in[2] : Tensor();
    return projection_ctc(in[0], {in[1], bias}, {rows, labels}, {.blank = 4}, tape).value;
  };
  cases.push_back(std::move(c));
}

}  // namespace

void add_norm_and_loss_cases(Cases& cases) {
  add_norms(cases);
  add_residuals(cases);
  add_plain_losses(cases);
  for (const bool has_bias : {false, true}) add_projected_ctc(cases, has_bias);
  for (const bool has_bias : {false, true}) add_projected(cases, {6, 3, 7}, has_bias);
  add_projected(cases, {1, 3, 5}, true);
  add_projected(cases, {1030, 9, 35}, true);  // several chunks, and a vocabulary filled up
}

}  // namespace weft::ops::test
