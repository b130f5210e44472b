#include "weft/ops/grid_windows.h"

#include "tests/ops/misuse.h"
#include "tests/support/tensors.h"

namespace weft::ops {
namespace {

using testing::ElementsAre;

// A sentence of 3 by 2 rows in any order of places.
Rows small_grid(std::vector<int32_t> grid = {0, 0, 0, 1, 1, 0, 1, 1, 2, 0, 2, 1}) {
  Rows rows = *make_rows(Segments::uniform(1, std::ssize(grid) / 2));
  rows.grid = std::move(grid);
  return rows;
}

TEST(GridWindows, HaveTheNeighboursOfEachRow) {
  const GridWindows windows = make_grid_windows(small_grid(), 3, 2);
  EXPECT_THAT(windows.rows->grid, ElementsAre(0, 0, 1, 0));
  const Tensor x = Tensor::from(std::vector<double>{1, 2, 3, 4, 5, 6}, {6, 1});
  EXPECT_THAT(weft::test::values(grid_windows(x, windows, nullptr)),
              ElementsAre(0, 0, 0, 0, 1, 2, 0, 3, 4,  //
                          0, 3, 4, 0, 5, 6, 0, 0, 0));
}

TEST(GridWindows, AreThoseOfOneSentenceAlone) {
  Rows rows = *make_rows(Segments::uniform(2, 1));
  rows.grid = {0, 0, 0, 0};
  const Tensor x = Tensor::from(std::vector<double>{1, 2}, {2, 1});
  EXPECT_THAT(weft::test::values(grid_windows(x, make_grid_windows(rows, 3, 1), nullptr)),
              ElementsAre(0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0));
}

TEST(GridWindows, NameWhatIsWrong) {
  const Rows without = *make_rows(Segments::uniform(1, 2));
  test::expect_shape_errors({
      {[&] { make_grid_windows(small_grid(), 2, 1); }, "expected an odd size"},
      {[&] { make_grid_windows(small_grid(), 3, 0); }, "got 3 and 0"},
      {[&] { make_grid_windows(without, 3, 1); }, "expected 2 coordinates for each of 2 rows"},
      {[&] {
         make_grid_windows(small_grid({0, 0, 0, 0}), 3, 1);
       },
       "two rows have one place"},
      {[&] { grid_windows(test::zeros(5, 1), make_grid_windows(small_grid(), 3, 1), nullptr); },
       "grid_windows: x"},
  });
}

}  // namespace
}  // namespace weft::ops
