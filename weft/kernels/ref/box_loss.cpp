#include "weft/kernels/box_loss.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "weft/core/error.h"
#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {
namespace {

// One axis of two intervals: how long their intersection and their hull are, and the derivatives by
// the first interval's begin and end.
struct Axis {
  double length, target_length;
  double shared, shared_by_begin, shared_by_end;
  double around, around_by_begin, around_by_end;

  Axis(double center, double size, double target_center, double target_size)
      : length(size), target_length(target_size) {
    const double begin = center - size / 2, end = center + size / 2;
    const double target_begin = target_center - target_size / 2;
    const double target_end = target_center + target_size / 2;
    shared = std::min(end, target_end) - std::max(begin, target_begin);
    const bool is_apart = shared <= 0;
    shared_by_begin = !is_apart && begin > target_begin ? -1 : 0;
    shared_by_end = !is_apart && end < target_end ? 1 : 0;
    if (is_apart) shared = 0;
    around = std::max(end, target_end) - std::min(begin, target_begin);
    around_by_begin = begin < target_begin ? -1 : 0;
    around_by_end = end > target_end ? 1 : 0;
  }
};

// 1 - GIoU, and its derivatives by centre and size on both axes.
struct GiouLoss {
  double value;
  std::array<double, 4> slope;  // of centre x, centre y, width, height

  GiouLoss(const Axis& x, const Axis& y) {
    const double shared = x.shared * y.shared, around = x.around * y.around;
    const double all = x.length * y.length + x.target_length * y.target_length - shared;
    value = 2 - shared / all - all / around;
    // By the areas: value = 2 - shared / all - all / around, all = own + target - shared.
    const double by_all = shared / (all * all) - 1 / around;
    const double by_shared = -1 / all - by_all;
    const double by_around = all / (around * around);
    const auto add = [&](size_t axis, const Axis& along, const Axis& across) {
      const double by_begin = by_shared * along.shared_by_begin * across.shared +
                              by_around * along.around_by_begin * across.around;
      const double by_end = by_shared * along.shared_by_end * across.shared +
                            by_around * along.around_by_end * across.around;
      slope[axis] = by_begin + by_end;
      slope[axis + 2] = (by_end - by_begin) / 2 + by_all * across.length;
    };
    add(0, x, y);
    add(1, y, x);
  }
};

template <class T>
void box_loss(const BoxLoss& call) {
  if (call.d_x) {
    for (int64_t n = 0; n < call.d_x.rows; ++n) {
      std::fill_n(call.d_x.as<T>().row(n), call.d_x.cols, convert<T>(0.0));
    }
  }
  for (size_t i = 0; i < call.rows.size(); ++i) {
    const T* row = call.x.as<T>().row(call.rows[i]);
    const std::span<const float> target = call.targets.subspan(4 * i, 4);
    std::array<double, 4> x{};
    for (size_t j = 0; j < 4; ++j) x[j] = convert<double>(row[j]);
    const GiouLoss loss(Axis(x[0], x[2], target[0], target[2]),
                        Axis(x[1], x[3], target[1], target[3]));
    call.giou[i] = loss.value;
    call.l1[i] = 0;
    for (size_t j = 0; j < 4; ++j) {
      const double difference = x[j] - target[j];
      call.l1[i] += std::abs(difference);
      if (!call.d_x) continue;
      const double sign = difference > 0 ? 1 : difference < 0 ? -1 : 0;
      call.d_x.as<T>().row(call.rows[i])[j] =
          convert<T>(call.l1_weight * sign + call.giou_weight * loss.slope[j]);
    }
  }
}

}  // namespace

void run(const BoxLoss& call) {
  switch (call.x.dtype) {
    case DType::kF32: return box_loss<float>(call);
    case DType::kF64: return box_loss<double>(call);
    case DType::kBF16: return box_loss<BF16>(call);
    default:
      fail<ShapeError>("box_loss", "no kernel for {}; expected F32, F64 or BF16",
                       name_of(call.x.dtype));
  }
}

}  // namespace weft::kernels::ref
