#include "weft/kernels/unlikelihood.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "weft/kernels/cpu/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/unlikelihood.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

struct Candidate {
  int32_t id;
  double p, odds;  // odds: p / (1 - p)
};

// The gradient of class v is p_v (1 if v is a candidate - the odds of the other candidates). Where
// the odds of one candidate exceed all others, these are summed apart, to avoid cancellation.
template <class T>
HWY_INLINE void unlikelihood_row(const Unlikelihood& c, int64_t row,
                                 std::vector<Candidate>& candidates) {
  candidates.clear();
  c.loss[row] = 0;
  if (c.offsets[row] == c.offsets[row + 1]) return;
  const T* x = c.x.as<T>().row(row);
  const int64_t width = c.x.cols;
  const float top = max_of(x, width);
  const auto e = [=](auto d, int64_t i)
                     HWY_ATTR { return exp(d, hn::Sub(load(d, x + i), hn::Set(d, top))); };
  const float sum = sum_over(width, e);
  for (int32_t i = c.offsets[row]; i < c.offsets[row + 1]; ++i) {
    const int32_t id = c.candidates[i];
    const double hit = hn::GetLane(e(OneFloatTag(), id));
    double rest = sum - hit;
    if (hit > rest) {  // at most one candidate: sums without it, to avoid cancellation
      const auto after = [=](auto d, int64_t k) HWY_ATTR { return e(d, id + 1 + k); };
      rest = double{sum_over(id, e)} + sum_over(width - id - 1, after);
    }
    const double p = hit / (rest + hit);
    const double odds = p / std::max(rest / (rest + hit), c.kSmallestRest);
    c.loss[row] += std::log1p(odds);
    candidates.push_back({id, p, odds});
  }
  if (!c.d_x) return;
  const auto is_less = [](const Candidate& a, const Candidate& b) { return a.odds < b.odds; };
  const auto largest = std::max_element(candidates.begin(), candidates.end(), is_less);
  double smaller = 0;
  for (auto k = candidates.begin(); k != candidates.end(); ++k) {
    if (k != largest) smaller += k->odds;
  }
  const double total = smaller + largest->odds;
  const double weight = c.row_weights ? c.weight * c.row_weights[row] : c.weight;
  T* to = c.d_x.as<T>().row(row);
  for (auto k = candidates.begin(); k != candidates.end(); ++k) {
    const double others = k == largest ? smaller : total - k->odds;
    // What the row's own gradient becomes below is replaced by this.
    k->odds = static_cast<float>(to[k->id]) + weight * k->p * (1 - others);
  }
  const auto factor = static_cast<float>(-weight * total / sum);
  for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
    store(hn::MulAdd(e(d, i), hn::Set(d, factor), load(d, to + i)), d, to + i);
  });
  for (const Candidate& k : candidates) to[k.id] = T(static_cast<float>(k.odds));
}

void unlikelihood_rows(const Unlikelihood& c, int64_t begin, int64_t end) {
  std::vector<Candidate> candidates;
  with_type(c.x.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t row = begin; row < end; ++row) unlikelihood_row<T>(c, row, candidates);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(unlikelihood_rows);

void run(const Unlikelihood& c) {
  if (!is_fast(c.x)) return ref::run(c);
  parallel_rows(c, c.x.rows, 2 * c.x.cols, HWY_DYNAMIC_DISPATCH(unlikelihood_rows));
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
