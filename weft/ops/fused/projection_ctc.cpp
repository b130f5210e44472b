#include "weft/ops/fused/projection_ctc.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/ops/fused/chunked_projection.h"
#include "weft/ops/fused/enabled.h"

namespace weft::ops {
namespace {

// Some sequences in a row, as a batch of their own.
struct Part {
  LayoutPtr rows;
  LabelsPtr labels;
  int64_t first_row;
};

Part part_of(const Layout& rows, const data::Labels& labels, int64_t begin, int64_t end) {
  const auto first = labels.ids.begin() + labels.segments.begin(begin);
  const auto last = labels.ids.begin() + labels.segments.begin(end);
  return {make_layout(rows.segments.slice(begin, end)),
          make_labels({first, last}, labels.segments.slice(begin, end)),
          rows.segments.begin(begin)};
}

// The end of the sequences from `begin` on that have at most this many rows together; one at least.
int64_t end_of_part(const Layout& rows, int64_t begin) {
  constexpr int64_t kRows = 512;
  int64_t end = begin + 1;
  const int64_t first_row = rows.segments.begin(begin);
  while (end < rows.sequences() && rows.segments.end(end) - first_row <= kRows) ++end;
  return end;
}

}  // namespace

CtcLoss projection_ctc_composite(const Tensor& x, const OutputLayer& w, const CtcTargets& spelling,
                                 const CtcParams& params, Tape* tape) {
  return ctc(project_composite(x, w, tape), spelling.rows, spelling.labels, params, tape);
}

CtcLoss projection_ctc(const Tensor& x, const OutputLayer& w, const CtcTargets& spelling,
                       const CtcParams& params, Tape* tape) {
  if (!fused_enabled()) return projection_ctc_composite(x, w, spelling, params, tape);
  const auto& [rows, labels] = spelling;
  ChunkedProjection projection("projection_ctc", x, w);
  check_shape("ctc", "x", x, rows->count(), -1);
  check_labels("ctc", *labels, rows->sequences());
  Tensor d_x;
  if (tape != nullptr) {
    d_x = Tensor::zeros(x.shape(), x.dtype());
    projection.want_gradients(x.rows());
  }
  CtcLoss out;
  double total = 0;
  for (int64_t begin = 0; begin < rows->sequences();) {
    const int64_t end = end_of_part(*rows, begin);
    const Part part = part_of(*rows, *labels, begin, end);
    const Tensor own = x.row_range(part.first_row, part.first_row + part.rows->count());
    const Logits logits = projection.logits(own);  // [n, V]
    autograd::Tape inside;
    const Tensor wide = logits.chunk.to(sum_type(x.dtype()));
    const Tensor scores = tape != nullptr ? inside.watch(wide) : wide;
    const CtcLoss loss = ctc(scores, part.rows, part.labels, params, tape ? &inside : nullptr);
    if (tape != nullptr && part.rows->count() > 0) {
      autograd::Gradients gradients;
      inside.backward(loss.value, gradients);
      const Logits d_logits = projection.zeros_like(logits);
      backend_of(x)(kernels::Copy{.x = gradients.of(scores), .y = d_logits.chunk});
      projection.back(d_logits, own,
                      d_x.row_range(part.first_row, part.first_row + part.rows->count()));
    }
    out.losses.insert(out.losses.end(), loss.losses.begin(), loss.losses.end());
    for (const int64_t b : loss.impossible) out.impossible.push_back(begin + b);
    for (const double each : loss.losses) total += each;
    begin = end;
  }
  out.value = Tensor::full({1, 1}, params.weight * total, sum_type(x.dtype()));
  projection.record(tape, out.value, x, w, d_x);
  return out;
}

}  // namespace weft::ops
