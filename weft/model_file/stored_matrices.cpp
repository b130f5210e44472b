#include "weft/model_file/stored_matrices.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "weft/core/error.h"
#include "weft/tensor/quantise.h"

namespace weft::model_file {
namespace {

using kernels::BlockType;

constexpr std::string_view kScales = ".scales";
constexpr const char* kBlocksKey = "weft.blocks.";  // and the name: "Q4_1 576", type and columns
constexpr int64_t kMaxColumns = int64_t{1} << 40;

constexpr BlockType kBlockTypes[] = {BlockType::kQ4_0, BlockType::kQ4_1, BlockType::kQ5_0,
                                     BlockType::kQ5_1, BlockType::kQ8_0, BlockType::kQ4_K,
                                     BlockType::kQ5_K, BlockType::kQ6_K};

struct BlocksInfo {
  BlockType type;
  int64_t cols;
};

std::optional<BlocksInfo> parse_blocks(std::string_view text) {
  for (const BlockType type : kBlockTypes) {
    const std::string_view name = kernels::format_of(type).name;
    if (!text.starts_with(name) || text.substr(name.size(), 1) != " ") continue;
    const std::string_view number = text.substr(name.size() + 1);
    int64_t cols = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), cols);
    const bool is_whole = error == std::errc() && end == number.data() + number.size();
    if (is_whole && cols > 0 && cols <= kMaxColumns) return BlocksInfo{type, cols};
  }
  return {};
}

// Nothing for a tensor that does not hold blocks.
std::optional<BlocksInfo> blocks_of(const formats::SafetensorsFile& file, const std::string& name) {
  const auto found = file.metadata().find(kBlocksKey + name);
  if (found == file.metadata().end()) return {};
  const std::optional<BlocksInfo> out = parse_blocks(found->second);
  if (!out) {
    fail<FormatError>(file.path(),
                      "'{}' in the metadata is '{}'; expected a type of blocks and the number of "
                      "columns",
                      found->first, found->second);
  }
  const Shape shape = file.shape(name);
  const int64_t row_bytes = kernels::block_row_bytes(out->type, out->cols);
  if (file.dtype(name) != "U8" || shape.rank() != 2 || shape.cols() != row_bytes) {
    fail<FormatError>(file.path(),
                      "tensor '{}' has the wrong shape; expected U8 [rows, {}], got {} {}", name,
                      row_bytes, file.dtype(name), shape.text());
  }
  return out;
}

std::string_view bytes_of(const Tensor& blocks) {
  return {reinterpret_cast<const char*>(blocks.data<uint8_t>()),
          static_cast<size_t>(blocks.size())};
}

// Of a tensor of I8; empty for others.
Tensor scales_in(const formats::SafetensorsFile& file, const Tensor& x, const std::string& name) {
  if (x.dtype() != DType::kI8) return {};
  const std::string scales = name + std::string(kScales);
  if (!file.has(scales)) fail<FormatError>(file.path(), "no tensor '{}'", scales);
  Tensor s = file.tensor(scales);
  if (s.shape() == Shape{x.rows()} && s.dtype() == DType::kF32) return s;
  fail<FormatError>(file.path(), "tensor '{}' has the wrong shape; expected [{}] F32, got {} {}",
                    scales, x.rows(), s.shape().text(), name_of(s.dtype()));
}

}  // namespace

void StoredMatrices::add(const std::string& name, Tensor values) {
  tensors.emplace_back(name, std::move(values));
}

void StoredMatrices::add(const std::string& name, const Tensor& values, kernels::PackedType type) {
  if (const auto* blocks = std::get_if<BlockType>(&type)) {
    return add(name, *blocks, values.shape(), quantise_blocks(*blocks, values));
  }
  if (std::get<DType>(type) != DType::kI8) {
    return add(name,
               values.dtype() == std::get<DType>(type) ? values : values.to(std::get<DType>(type)));
  }
  const QuantisedRows rows = quantise_rows(values);
  add(name, rows.integers);
  add(name + std::string(kScales), rows.scales);
}

void StoredMatrices::add(const std::string& name, BlockType type, const Shape& shape,
                         std::string_view blocks) {
  const auto* data = reinterpret_cast<const uint8_t*>(blocks.data());
  const int64_t row_bytes = kernels::block_row_bytes(type, shape.cols());
  add(name, Tensor::from(std::span(data, blocks.size()), {shape.rows(), row_bytes}));
  metadata[kBlocksKey + name] = fmt::format("{} {}", kernels::format_of(type).name, shape.cols());
}

bool MatrixReader::is_part(const std::string& name) const {
  if (!name.ends_with(kScales)) return false;
  const std::string matrix = name.substr(0, name.size() - kScales.size());
  return file_->has(matrix) && file_->dtype(matrix) == "I8";
}

kernels::PackedType MatrixReader::type(const std::string& name) const {
  if (const auto blocks = blocks_of(*file_, name)) return blocks->type;
  const Tensor x = file_->tensor(name);
  scales_in(*file_, x, name);
  return x.dtype();
}

Shape MatrixReader::shape(const std::string& name) const {
  const auto blocks = blocks_of(*file_, name);
  const Shape shape = file_->shape(name);
  return blocks ? Shape{shape.rows(), blocks->cols} : shape;
}

Tensor MatrixReader::float32(const std::string& name) const {
  const Tensor x = file_->tensor(name);
  if (const auto blocks = blocks_of(*file_, name)) {
    return PackedWeight(blocks->type, shape(name), bytes_of(x)).to_float32();
  }
  if (x.dtype() == DType::kI8) return dequantise_rows({x, scales_in(*file_, x, name)});
  return x.dtype() == DType::kF32 ? x : x.to(DType::kF32);
}

PackedWeight MatrixReader::packed(const std::string& name, kernels::PackedType type) const {
  const Tensor x = file_->tensor(name);
  const auto blocks = blocks_of(*file_, name);
  if (!blocks) return {x, type, scales_in(*file_, x, name)};
  if (type != kernels::PackedType(blocks->type)) return {float32(name), type};
  return {blocks->type, shape(name), bytes_of(x)};
}

}  // namespace weft::model_file
