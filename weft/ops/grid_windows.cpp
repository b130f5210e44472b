#include "weft/ops/grid_windows.h"

#include <algorithm>

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

// The rows of one sentence by their places.
struct Grid {
  int64_t height = 0, width = 0;
  std::vector<int32_t> row;  // [height * width], or -1

  Grid(const Rows& rows, int64_t sentence) {
    const int64_t begin = rows.segments.begin(sentence), end = rows.segments.end(sentence);
    for (int64_t n = begin; n < end; ++n) {
      height = std::max<int64_t>(height, rows.grid[2 * n] + 1);
      width = std::max<int64_t>(width, rows.grid[2 * n + 1] + 1);
    }
    row.assign(static_cast<size_t>(height * width), -1);
    for (int64_t n = begin; n < end; ++n) {
      int32_t& place = row[rows.grid[2 * n] * width + rows.grid[2 * n + 1]];
      if (place >= 0) fail<ShapeError>("grid_windows", "two rows have one place in the grid");
      place = static_cast<int32_t>(n);
    }
  }
  int32_t at(int64_t y, int64_t x) const {
    return y < 0 || x < 0 || y >= height || x >= width ? -1 : row[y * width + x];
  }
};

}  // namespace

GridWindows make_grid_windows(const Rows& rows, int64_t size, int64_t stride) {
  if (size < 1 || size % 2 == 0 || stride < 1) {
    fail<ShapeError>("grid_windows",
                     "expected an odd size and a stride of 1 or more, got {} and {}", size, stride);
  }
  if (std::ssize(rows.grid) != 2 * rows.count()) {
    fail<ShapeError>("grid_windows", "expected 2 coordinates for each of {} rows, got {} in all",
                     rows.count(), rows.grid.size());
  }
  const auto places = static_cast<size_t>(size * size);
  std::vector<std::vector<int32_t>> at(places);
  std::vector<std::vector<int32_t>> back(
      places, std::vector<int32_t>(static_cast<size_t>(rows.count()), -1));
  Segments segments;
  segments.first = rows.segments.first;
  std::vector<int32_t> grid_of_windows;
  for (int64_t b = 0; b < rows.sentences(); ++b) {
    const Grid grid(rows, b);
    int64_t count = 0;
    for (int64_t y = 0; y < grid.height; y += stride) {
      for (int64_t x = 0; x < grid.width; x += stride, ++count) {
        grid_of_windows.push_back(static_cast<int32_t>(y / stride));
        grid_of_windows.push_back(static_cast<int32_t>(x / stride));
        for (size_t k = 0; k < places; ++k) {
          const auto place = static_cast<int64_t>(k);
          const int32_t row = grid.at(y + place / size - size / 2, x + place % size - size / 2);
          if (row >= 0) back[k][row] = static_cast<int32_t>(at[k].size());
          at[k].push_back(row);
        }
      }
    }
    segments.append(count);
  }
  GridWindows out;
  auto rows_of_windows = std::make_shared<Rows>(*make_rows(std::move(segments)));
  rows_of_windows->grid = std::move(grid_of_windows);
  out.rows = std::move(rows_of_windows);
  for (size_t k = 0; k < places; ++k) {
    out.at.push_back(make_ids(std::move(at[k])));
    out.back.push_back(make_ids(std::move(back[k])));
  }
  return out;
}

Tensor grid_windows(const Tensor& x, const GridWindows& windows, Tape* tape) {
  check_shape("grid_windows", "x", x, std::ssize(*windows.back.front()), -1);
  const int64_t features = x.cols(), places = std::ssize(windows.at);
  const auto part = [features](const Tensor& y, int64_t k) {
    return y.col_range(k * features, (k + 1) * features);
  };
  Tensor y = Tensor::empty({windows.rows->count(), places * features}, x.dtype());
  for (int64_t k = 0; k < places; ++k) {
    backend_of(x)(kernels::GatherRows{.x = x, .index = windows.at[k]->data(), .y = part(y, k)});
  }
  record(tape, y, {&x}, [back = windows.back, part](Backward& b) {
    const Tensor d_y = b.d_output();
    for (size_t k = 0; k < back.size(); ++k) {
      b.write(0, [&](const Tensor& d_x) {
        backend_of(d_y)(kernels::GatherRows{
            .x = part(d_y, static_cast<int64_t>(k)), .index = back[k]->data(), .y = d_x});
      });
    }
  });
  return y;
}

}  // namespace weft::ops
