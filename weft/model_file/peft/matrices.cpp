#include "weft/model_file/peft/matrices.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace weft::model_file {
namespace {

using Indices = std::vector<int64_t>;

// begin, begin + 1, ... begin + count - 1.
Indices range_from(int64_t begin, int64_t count) {
  Indices out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), begin);
  return out;
}

// Where the outputs of the weight with these rows are, which begin at `begin`.
Indices outputs_of(const MappedTensor& map, int64_t begin, int64_t rows) {
  Indices out = foreign_indices(map.mapping->rows, rows);
  for (int64_t& row : out) row += begin;
  return out;
}

Indices inputs_of(const MappedTensor& map) {
  return foreign_indices(map.mapping->cols, map.parts.front().parameter->shape.cols());
}

int64_t outputs_in(const MappedTensor& map) {
  int64_t out = 0;
  for (const auto& [unused, p] : map.parts) out += p->shape.rows();
  return out;
}

// out[i, j] = x[rows[i], cols[j]]
Tensor gather(const Tensor& x, const Indices& rows, const Indices& cols) {
  Tensor out = Tensor::empty({std::ssize(rows), std::ssize(cols)});
  auto* next = out.data<float>();
  for (const int64_t row : rows) {
    const float* from = x.data<float>() + row * x.cols();
    for (const int64_t col : cols) *next++ = from[col];
  }
  return out;
}

// out[rows[i], cols[j]] = x[i, j]
void scatter(const Tensor& x, const Indices& rows, const Indices& cols, const Tensor& out) {
  const auto* next = x.data<float>();
  for (const int64_t row : rows) {
    float* to = out.data<float>() + row * out.cols();
    for (const int64_t col : cols) to[col] = *next++;
  }
}

// The columns of x in which one of these rows is not zero.
Indices columns_used(const Tensor& x, const Indices& rows) {
  Indices out;
  for (int64_t col = 0; col < x.cols(); ++col) {
    const auto is_used = [&](int64_t row) { return x.data<float>()[row * x.cols() + col] != 0; };
    if (std::ranges::any_of(rows, is_used)) out.push_back(col);
  }
  return out;
}

bool are_equal(const Tensor& x, const Tensor& y) {
  return x.shape() == y.shape() &&
         std::memcmp(x.bytes(), y.bytes(), static_cast<size_t>(x.size()) * sizeof(float)) == 0;
}

// Whether all weights have updates with the same A.
bool share_down(std::span<const AdapterMatrices* const> parts) {
  return std::ranges::all_of(parts, [&](const AdapterMatrices* part) {
    return part != nullptr && parts.front() != nullptr &&
           are_equal(part->down, parts.front()->down);
  });
}

}  // namespace

std::vector<AdapterMatrices> updates_of(const MappedTensor& map, const PeftMatrices& matrices) {
  const Indices all = range_from(0, matrices.up.cols()), inputs = inputs_of(map);
  const bool is_untrained = columns_used(matrices.up, range_from(0, matrices.up.rows())).empty();
  const bool keeps_all = map.parts.size() == 1 || is_untrained;
  std::vector<AdapterMatrices> out;
  int64_t begin = 0;
  for (const auto& [name, p] : map.parts) {
    const Indices outputs = outputs_of(map, begin, p->shape.rows());
    begin += p->shape.rows();
    const Indices ranks = keeps_all ? all : columns_used(matrices.up, outputs);
    if (ranks.empty()) continue;
    out.push_back(
        {name, gather(matrices.down, ranks, inputs), gather(matrices.up, outputs, ranks)});
  }
  return out;
}

PeftMatrices matrices_of(const MappedTensor& map, std::span<const AdapterMatrices* const> parts) {
  const bool shares = share_down(parts);
  int64_t rank = 0;
  for (const AdapterMatrices* part : parts) {
    if (part != nullptr && (rank == 0 || !shares)) rank += part->down.rows();
  }
  const Indices inputs = inputs_of(map);
  PeftMatrices out{.down = Tensor::empty({rank, std::ssize(inputs)}),
                   .up = Tensor::zeros({outputs_in(map), rank})};
  int64_t begin = 0, first_rank = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const int64_t rows = map.parts[i].parameter->shape.rows();
    if (parts[i] != nullptr) {
      const Indices ranks = range_from(first_rank, parts[i]->down.rows());
      scatter(parts[i]->down, ranks, inputs, out.down);
      scatter(parts[i]->up, outputs_of(map, begin, rows), ranks, out.up);
      if (!shares) first_rank += std::ssize(ranks);
    }
    begin += rows;
  }
  return out;
}

}  // namespace weft::model_file
