#include "weft/ops/rows/windows.h"

#include <algorithm>

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

// For each place of a window, the row of x that each window has there, or -1; a row is in one
// window at most at a place.
using WindowRows = std::vector<std::vector<int32_t>>;

void check_windows(const Tensor& x, const Layout& rows, int64_t width, int64_t stride) {
  check_shape("windows", "x", x, rows.count(), -1);
  if (width < 1 || width % 2 == 0) {
    fail<ShapeError>("windows", "expected an odd width, got {}", width);
  }
  if (stride < 1) fail<ShapeError>("windows", "expected a stride of at least 1, got {}", stride);
}

void check_grid(const Layout& rows) {
  if (std::ssize(rows.grid) == 2 * rows.count()) return;
  fail<ShapeError>("windows", "expected two coordinates for each of {} rows, got {} in all",
                   rows.count(), rows.grid.size());
}

// The window that has each of `count` rows at a place, or -1.
std::vector<int32_t> inverse_of(const std::vector<int32_t>& rows, int64_t count) {
  std::vector<int32_t> out(static_cast<size_t>(count), -1);
  for (size_t m = 0; m < rows.size(); ++m) {
    if (rows[m] >= 0) out[rows[m]] = static_cast<int32_t>(m);
  }
  return out;
}

Tensor gather_windows(const Tensor& x, WindowRows places, Tape* tape) {
  const int64_t features = x.cols(), count = x.rows();
  const auto part = [features](const Tensor& y, size_t k) {
    const auto first = static_cast<int64_t>(k) * features;
    return y.col_range(first, first + features);
  };
  const int64_t windows = std::ssize(places.front());
  Tensor y = Tensor::empty({windows, std::ssize(places) * features}, x.dtype());
  for (size_t k = 0; k < places.size(); ++k) {
    backend_of(x)(kernels::GatherRows{.x = x, .index = places[k].data(), .y = part(y, k)});
  }
  record(tape, y, {&x}, [places = std::move(places), count, part](Backward& b) {
    const Tensor d_y = b.d_output();
    for (size_t k = 0; k < places.size(); ++k) {
      const std::vector<int32_t> back = inverse_of(places[k], count);
      b.write(0, [&](const Tensor& d_x) {
        backend_of(d_y)(kernels::GatherRows{.x = part(d_y, k), .index = back.data(), .y = d_x});
      });
    }
  });
  return y;
}

// Where the rows of one example stand in its grid.
class GridRows {
 public:
  GridRows(const Layout& rows, int64_t example) {
    const int32_t begin = rows.segments.begin(example), end = rows.segments.end(example);
    for (int32_t n = begin; n < end; ++n) {
      height_ = std::max(height_, rows.grid[2 * n] + 1);
      width_ = std::max(width_, rows.grid[2 * n + 1] + 1);
    }
    at_.assign(static_cast<size_t>(height_) * static_cast<size_t>(width_), -1);
    for (int32_t n = begin; n < end; ++n) at_[index(rows.grid[2 * n], rows.grid[2 * n + 1])] = n;
  }
  // -1 where there is none.
  int32_t row_at(int64_t y, int64_t x) const {
    return y < 0 || x < 0 || y >= height_ || x >= width_ ? -1 : at_[index(y, x)];
  }

 private:
  size_t index(int64_t y, int64_t x) const { return static_cast<size_t>(y * width_ + x); }

  int32_t height_ = 0, width_ = 0;
  std::vector<int32_t> at_;
};

}  // namespace

LayoutPtr strided_rows(const LayoutPtr& rows, int64_t stride) {
  if (stride == 1) return rows;
  Segments out;
  out.first = rows->segments.first;
  for (int64_t b = 0; b < rows->sequences(); ++b) {
    out.append((rows->segments.length(b) + stride - 1) / stride);
  }
  return make_layout(std::move(out));
}

Tensor strided_windows(const Tensor& x, const LayoutPtr& rows, int64_t width, int64_t stride,
                       Tape* tape) {
  check_windows(x, *rows, width, stride);
  const LayoutPtr out = strided_rows(rows, stride);
  WindowRows places(static_cast<size_t>(width));
  for (int64_t k = 0; k < width; ++k) {
    std::vector<int32_t>& at = places[static_cast<size_t>(k)];
    at.assign(static_cast<size_t>(out->count()), -1);
    for (int64_t b = 0; b < rows->sequences(); ++b) {
      for (int64_t m = 0; m < out->segments.length(b); ++m) {
        const int64_t position = m * stride + k - width / 2;
        if (position < 0 || position >= rows->segments.length(b)) continue;
        at[out->segments.begin(b) + m] = static_cast<int32_t>(rows->segments.begin(b) + position);
      }
    }
  }
  return gather_windows(x, std::move(places), tape);
}

Tensor windows(const Tensor& x, const LayoutPtr& rows, int64_t width, Tape* tape) {
  return strided_windows(x, rows, width, 1, tape);
}

LayoutPtr strided_grid_rows(const LayoutPtr& rows, int64_t stride) {
  check_grid(*rows);
  if (stride == 1) return rows;
  Segments segments;
  segments.first = rows->segments.first;
  std::vector<int32_t> grid;
  const auto step = static_cast<int32_t>(stride);
  for (int64_t b = 0; b < rows->sequences(); ++b) {
    const size_t before = grid.size();
    for (int32_t n = rows->segments.begin(b); n < rows->segments.end(b); ++n) {
      const int32_t y = rows->grid[2 * n], x = rows->grid[2 * n + 1];
      if (y % step == 0 && x % step == 0) grid.insert(grid.end(), {y / step, x / step});
    }
    segments.append(static_cast<int64_t>(grid.size() - before) / 2);
  }
  auto out = std::make_shared<Layout>(*make_layout(std::move(segments)));
  out->grid = std::move(grid);
  return out;
}

Tensor grid_windows(const Tensor& x, const LayoutPtr& rows, int64_t width, int64_t stride,
                    Tape* tape) {
  check_windows(x, *rows, width, stride);
  const LayoutPtr out = strided_grid_rows(rows, stride);
  WindowRows places(static_cast<size_t>(width * width));
  for (std::vector<int32_t>& at : places) at.reserve(static_cast<size_t>(out->count()));
  for (int64_t b = 0; b < rows->sequences(); ++b) {
    const GridRows grid(*rows, b);
    for (int32_t m = out->segments.begin(b); m < out->segments.end(b); ++m) {
      const int64_t top = out->grid[2 * m] * stride - width / 2;
      const int64_t left = out->grid[2 * m + 1] * stride - width / 2;
      for (int64_t k = 0; k < width * width; ++k) {
        places[static_cast<size_t>(k)].push_back(grid.row_at(top + k / width, left + k % width));
      }
    }
  }
  return gather_windows(x, std::move(places), tape);
}

}  // namespace weft::ops
