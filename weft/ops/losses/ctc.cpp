#include "weft/ops/losses/ctc.h"

#include <cmath>

#include "weft/kernels/backend.h"
#include "weft/kernels/loss.h"
#include "weft/ops/softmax.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

void check(const Tensor& logits, const Layout& rows, const data::Labels& labels,
           const CtcParams& params) {
  check_shape("ctc", "logits", logits, rows.count(), -1);
  check_labels("ctc", labels, rows.sequences());
  if (params.blank < 0 || params.blank >= logits.cols()) {
    fail<ShapeError>("ctc", "blank {} out of range; expected 0 to {}", params.blank,
                     logits.cols() - 1);
  }
  for (const int32_t id : labels.ids) {
    if (id < 0 || id >= logits.cols() || id == params.blank) {
      fail<ShapeError>("ctc", "label {}; expected 0 to {}, and not the blank {}", id,
                       logits.cols() - 1, params.blank);
    }
  }
}

kernels::Ctc call_of(const Tensor& log_p, const Layout& rows, const data::Labels& labels,
                     const CtcParams& params) {
  return {.log_p = log_p,
          .offsets = rows.segments.offsets,
          .labels = labels.ids.data(),
          .label_offsets = labels.segments.offsets,
          .blank = params.blank,
          .weight = params.weight,
          .loss = nullptr,
          .d_log_p = {}};
}

}  // namespace

int64_t ctc_rows(std::span<const int32_t> labels) {
  auto rows = std::ssize(labels);
  for (size_t i = 1; i < labels.size(); ++i) rows += labels[i] == labels[i - 1] ? 1 : 0;
  return rows;
}

CtcLoss ctc(const Tensor& logits, const LayoutPtr& rows, const LabelsPtr& labels,
            const CtcParams& params, Tape* tape) {
  check(logits, *rows, *labels, params);
  const Tensor log_p = log_softmax(logits, tape);  // [N, V]
  CtcLoss out;
  out.losses.resize(static_cast<size_t>(rows->sequences()));
  kernels::Ctc forward = call_of(log_p, *rows, *labels, params);
  forward.loss = out.losses.data();
  backend_of(log_p)(forward);
  double total = 0;
  for (size_t b = 0; b < out.losses.size(); ++b) {
    if (std::isinf(out.losses[b])) {
      out.losses[b] = 0;
      out.impossible.push_back(static_cast<int64_t>(b));
    }
    total += out.losses[b];
  }
  out.value = Tensor::full({1, 1}, params.weight * total, logits.dtype());
  record(tape, out.value, {&log_p}, [log_p, rows, labels, params](Backward& b) {
    std::vector<double> again(static_cast<size_t>(rows->sequences()));
    b.write(0, [&](const Tensor& d_log_p) {
      kernels::Ctc back = call_of(log_p, *rows, *labels, params);
      back.weight *= b.d_output().item();
      back.loss = again.data();
      back.d_log_p = d_log_p;
      backend_of(log_p)(back);
    });
  });
  return out;
}

}  // namespace weft::ops
