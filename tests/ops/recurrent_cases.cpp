// Ops that models before the Transformer are made of.
#include <fmt/core.h>

#include "tests/ops/op_cases.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/additive_attention.h"
#include "weft/ops/fused/cell.h"
#include "weft/ops/rows/select_rows.h"
#include "weft/ops/rows/windows.h"
#include "weft/ops/slice.h"

namespace weft::ops::test {
namespace {

void add_rows_in_another_order(Cases& cases) {
  const auto put = [&](std::string name, std::vector<Shape> inputs, autograd::CheckedFunction run) {
    cases.push_back({std::move(name), std::move(inputs), std::move(run)});
  };
  const auto select = [](std::vector<int32_t> from, int64_t rows) {
    return [selection = make_selection(std::move(from), rows)](Inputs in, Tape* tape) {
      return select_rows(in[0], selection, tape);
    };
  };
  put("select_rows, all", {{4, 3}}, select({2, 0, 3, 1}, 4));
  put("select_rows, some and zeros", {{5, 2}}, select({4, -1, 0, -1}, 5));
  put("select_rows, none", {{3, 2}}, select({}, 3));
  put("select_rows there and back", {{3, 2}}, [](Inputs in, Tape* tape) {
    const Selection there = make_selection({1, 2, 0}, 3);
    return add(select_rows(select_rows(in[0], there, tape), inverse(there), tape), in[0], tape);
  });
  put("select_rows of columns", {{4, 6}}, [](Inputs in, Tape* tape) {
    return select_rows(slice_cols(in[0], 2, 5, tape), make_selection({3, 1, 0}, 4), tape);
  });
  for (const int64_t width : {1, 3, 5}) {
    const LayoutPtr rows = make_layout({{0, 3, 3, 4, 10}});
    put(width == 1   ? "windows of one row"
        : width == 3 ? "windows of three rows"
                     : "windows of five rows",
        {{10, 2}},
        [rows, width](Inputs in, Tape* tape) { return windows(in[0], rows, width, tape); });
  }
  for (const auto& [width, stride] : {std::pair<int64_t, int64_t>{1, 2}, {3, 2}, {5, 3}, {3, 20}}) {
    const LayoutPtr rows = make_layout({{0, 3, 3, 4, 10}});
    put(fmt::format("windows of {} rows, every {}", width, stride), {{10, 2}},
        [rows, width = width, stride = stride](Inputs in, Tape* tape) {
          return strided_windows(in[0], rows, width, stride, tape);
        });
  }
  for (const auto& [width, stride] : {std::pair<int64_t, int64_t>{1, 1}, {3, 1}, {3, 2}, {5, 3}}) {
    auto rows = std::make_shared<Layout>(*make_layout({{0, 6, 6, 8}}));
    rows->grid = {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2, 3, 0, 3, 3};
    put(fmt::format("windows of {0} by {0} pixels, every {1}", width, stride), {{8, 2}},
        [rows, width = width, stride = stride](Inputs in, Tape* tape) {
          return grid_windows(in[0], rows, width, stride, tape);
        });
  }
  put("stack_rows", {{1, 3}, {0, 3}, {4, 3}}, [](Inputs in, Tape* tape) {
    return stack_rows(std::vector<Tensor>{in[0], in[1], in[2], in[0]}, tape);
  });
}

constexpr std::pair<const char*, CellKind> kCells[] = {{"tanh", CellKind::kTanh},
                                                       {"relu", CellKind::kRelu},
                                                       {"gru", CellKind::kGru},
                                                       {"lstm", CellKind::kLstm}};

void add_cells(Cases& cases) {
  for (const auto& [name, kind] : kCells) {
    for (const auto& [n, units] : {std::pair<int64_t, int64_t>{1, 1}, {3, 5}, {70, 129}}) {
      const int64_t gates = gates_of(kind) * units, state = state_size_of(kind, units);
      OpCase c = fused(
          fmt::format("cell {} [{}, {}]", name, n, units), {{n, gates}, {n, gates}, {n, state}},
          [kind = kind](Inputs in, Tape* tape) { return cell(kind, in[0], in[1], in[2], tape); });
      cases.push_back(n > 50 ? large(std::move(c)) : std::move(c));
    }
  }
}

void add_recurrences(Cases& cases) {
  const auto put = [&](const char* name, CellKind kind, std::vector<int32_t> begins, int64_t units,
                       bool has_initial) {
    const int64_t gates = gates_of(kind) * units, n = begins.back();
    std::vector<Shape> inputs{{n, gates}, {gates, units}, {1, gates}};
    if (has_initial) inputs.push_back({begins.at(1) + 1, state_size_of(kind, units)});
    const auto steps = std::make_shared<const std::vector<int32_t>>(std::move(begins));
    OpCase c = fused(fmt::format("recurrence {} [{}, {}], {}", name, n, units,
                                 has_initial ? "from a state" : "from zeros"),
                     std::move(inputs), [kind, steps](Inputs in, Tape* tape) {
                       const Tensor initial = in.size() > 3 ? in[3] : Tensor();
                       return recurrence(in[0], {in[1], in[2]}, {kind, steps, initial}, tape);
                     });
    cases.push_back(n > 50 ? large(std::move(c)) : std::move(c));
  };
  for (const auto& [name, kind] : kCells) {
    put(name, kind, {0, 1}, 2, false);
    put(name, kind, {0, 3, 6, 7}, 3, true);  // sequences of 3, 2 and 2 tokens
    put(name, kind, {0, 2, 4, 5, 6}, 4, false);
    put(name, kind, {0, 40, 75, 101}, 9, true);
  }
}

void add_additive_attention(Cases& cases) {
  const auto put = [&](const char* name, std::vector<int32_t> offsets, int64_t size,
                       int64_t width) {
    const int64_t rows = std::ssize(offsets) - 1, keys = offsets.back();
    const auto shared = std::make_shared<const Segments>(Segments{std::move(offsets)});
    OpCase c = fused(fmt::format("additive_attention {} [{}, {}]", name, rows, size),
                     {{rows, size}, {keys, size}, {keys, width}, {1, size}},
                     [shared](Inputs in, Tape* tape) {
                       return additive_attention(in[0], {in[1], in[2], in[3], shared}, tape);
                     });
    cases.push_back(rows > 20 ? large(std::move(c)) : std::move(c));
  };
  put("to one key", {0, 1}, 3, 2);
  put("of three rows", {0, 2, 7, 8}, 5, 4);
  std::vector<int32_t> offsets{0};
  for (int32_t w = 0; w < 40; ++w) offsets.push_back(offsets.back() + 1 + w * 7 % 30);
  put("of many rows", offsets, 67, 35);
  cases.push_back(fused("additive_attention to keys that are values", {{2, 3}, {5, 3}, {1, 3}},
                        [](Inputs in, Tape* tape) {
                          const auto to = std::make_shared<const Segments>(Segments{{0, 2, 5}});
                          return additive_attention(in[0], {in[1], in[1], in[2], to}, tape);
                        }));
}

}  // namespace

void add_recurrent_cases(Cases& cases) {
  add_rows_in_another_order(cases);
  add_cells(cases);
  add_recurrences(cases);
  add_additive_attention(cases);
}

}  // namespace weft::ops::test
