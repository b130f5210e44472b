#include "weft/formats/safetensors.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/files/checksum.h"
#include "weft/core/files/mapped_file.h"
#include "weft/core/float16.h"
#include "weft/core/text/nearest.h"
#include "weft/formats/tensor_shape.h"

namespace weft::formats {
namespace {

// In the order of writing: widest first, for alignment.
constexpr std::array kWritingOrder = {DType::kF64,  DType::kF32, DType::kI32,
                                      DType::kBF16, DType::kI8,  DType::kU8};

constexpr std::string_view kFloat16 = "F16";

size_t order_of(DType dtype) {
  return static_cast<size_t>(std::find(kWritingOrder.begin(), kWritingOrder.end(), dtype) -
                             kWritingOrder.begin());
}

DType dtype_of_entry(std::string_view where, const SafetensorsEntry& e) {
  for (const DType dtype : kWritingOrder) {
    if (name_of(dtype) == e.dtype) return dtype;
  }
  fail<FormatError>(where, "tensor {} is of type {}; expected F32, F16, BF16, I32, I8, U8 or F64",
                    quote(e.name), e.dtype);
}

Tensor from_float16(const char* data, const Shape& shape) {
  Tensor out = Tensor::empty(shape);
  for (int64_t i = 0; i < out.size(); ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, data + static_cast<size_t>(i) * sizeof(bits), sizeof(bits));
    out.data<float>()[i] = float_of_half(bits);
  }
  return out;
}

// Half-precision numbers as the bits of BF16, for which tensors have a type.
Tensor to_float16(const Tensor& x) {
  const Tensor values = x.to(DType::kF32);
  Tensor out = Tensor::empty(x.shape(), DType::kBF16);
  for (int64_t i = 0; i < out.size(); ++i) {
    out.data<BF16>()[i].bits = half_of_float(values.data<float>()[i]);
  }
  return out;
}

SafetensorsEntry entry_of(const std::string& name, const Tensor& tensor, uint64_t begin) {
  SafetensorsEntry out;
  out.name = name;
  out.dtype = name_of(tensor.dtype());
  out.begin = begin;
  for (int i = 0; i < tensor.shape().rank(); ++i) out.shape.push_back(tensor.shape()[i]);
  out.end = begin + static_cast<uint64_t>(tensor.size()) * size_of(tensor.dtype());
  return out;
}

// Calls consume(data, bytes) for each contiguous part of the tensor, in order.
template <class Consume>
void for_each_part(const Tensor& tensor, const Consume& consume) {
  const size_t element = size_of(tensor.dtype());
  if (tensor.is_dense()) {
    consume(tensor.bytes(), static_cast<size_t>(tensor.size()) * element);
    return;
  }
  for (int64_t i = 0; i < tensor.rows(); ++i) {
    consume(tensor.bytes() + static_cast<size_t>(i * tensor.stride()) * element,
            static_cast<size_t>(tensor.cols()) * element);
  }
}

// Writes tensors, with a checksum if the header has one. BF16 elements are called `name_of_bf16`.
void save(const std::string& path, const NamedTensors& tensors, SafetensorsHeader header,
          std::string_view name_of_bf16) {
  std::vector<const NamedTensors::value_type*> order;
  for (const auto& named : tensors) {
    if (!named.second) fail<FormatError>(path, "tensor {} is empty", quote(named.first));
    order.push_back(&named);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return order_of(a->second.dtype()) < order_of(b->second.dtype());
  });
  uint64_t offset = 0;
  for (const auto* named : order) {
    header.entries.push_back(entry_of(named->first, named->second, offset));
    if (named->second.dtype() == DType::kBF16) header.entries.back().dtype = name_of_bf16;
    offset = header.entries.back().end;
  }
  std::string text = safetensors_header_text(path, header);
  const auto for_each_byte = [&](const auto& consume) {
    consume(text.data(), text.size());
    for (const auto* named : order) for_each_part(named->second, consume);
  };
  if (header.checksum) {
    Checksum sum;
    for_each_byte([&](const void* data, size_t bytes) { sum.add(data, bytes); });
    const std::string digits = checksum_digits(sum.value());
    text.replace(find_checksum(text), digits.size(), digits);
  }
  AtomicFile out(path);
  for_each_byte([&](const void* data, size_t bytes) { out.write(data, bytes); });
  out.commit();
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::string& path)
    : path_(path),
      file_(std::make_shared<MappedFile>(path)),
      header_(parse_safetensors_header(path, file_->bytes())) {
  const auto data = file_->bytes().substr(header_.data_begin);
  data_ = Tensor::borrow(file_, data.data(), {static_cast<int64_t>(data.size())}, DType::kU8);
  for (size_t i = 0; i < header_.entries.size(); ++i) index_[header_.entries[i].name] = i;
  for (const auto& [alias, name] : header_.aliases) index_[alias] = index_.at(name);
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> out;
  for (const SafetensorsEntry& e : header_.entries) out.push_back(e.name);
  return out;
}

const SafetensorsEntry* SafetensorsFile::find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &header_.entries[found->second];
}

const SafetensorsEntry& SafetensorsFile::entry(const std::string& name) const {
  if (const SafetensorsEntry* found = find(name)) return *found;
  fail<FormatError>(path_, "no tensor {}{}", quote(name), nearest_hint(name, names()));
}

Tensor SafetensorsFile::tensor(const std::string& name) const {
  const SafetensorsEntry& e = entry(name);
  const Shape shape = tensor_shape(path_, e.name, e.shape);
  const char* data = file_->bytes().data() + header_.data_begin + e.begin;
  if (e.dtype == kFloat16) return from_float16(data, shape);
  const DType dtype = dtype_of_entry(path_, e);
  if (reinterpret_cast<uintptr_t>(data) % size_of(dtype) == 0) {
    return data_.reinterpret(e.begin, shape, dtype);
  }
  Tensor copy = Tensor::empty(shape, dtype);
  if (e.end > e.begin) std::memcpy(copy.bytes(), data, e.end - e.begin);
  return copy;
}

Shape SafetensorsFile::shape(const std::string& name) const {
  return tensor_shape(path_, name, entry(name).shape);
}

void SafetensorsFile::check() const {
  const std::string_view bytes = file_->bytes();
  const std::string zeros = checksum_digits(0);
  const size_t begin = header_.checksum_begin;
  Checksum sum;
  sum.add(bytes.substr(0, begin));
  if (begin != bytes.npos) {
    sum.add(zeros);
    sum.add(bytes.substr(begin + zeros.size()));
  }
  if (sum.value() == header_.checksum) return;
  fail<FormatError>(path_,
                    "checksum mismatch; expected {}, got {}; hint: the file is damaged, use "
                    "another copy",
                    checksum_digits(header_.checksum.value()), checksum_digits(sum.value()));
}

int64_t SafetensorsFile::bytes(const std::string& name) const {
  const SafetensorsEntry& e = entry(name);
  return static_cast<int64_t>(e.end - e.begin);
}

void SafetensorsFile::release(const std::string& name) const {
  const SafetensorsEntry& e = entry(name);
  file_->release(file_->bytes().data() + header_.data_begin + e.begin, e.end - e.begin);
}

void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const std::map<std::string, std::string>& metadata,
                      const std::map<std::string, std::string>& aliases,
                      WithChecksum with_checksum) {
  SafetensorsHeader header;
  header.metadata = metadata;
  header.aliases = aliases;
  if (with_checksum == WithChecksum::kYes) header.checksum = 0;
  save(path, tensors, std::move(header), name_of(DType::kBF16));
}

void save_float16_safetensors(const std::string& path, const NamedTensors& tensors,
                              const std::map<std::string, std::string>& metadata) {
  NamedTensors rounded;
  for (const auto& [name, tensor] : tensors) rounded.emplace_back(name, to_float16(tensor));
  SafetensorsHeader header;
  header.metadata = metadata;
  save(path, rounded, std::move(header), kFloat16);
}

}  // namespace weft::formats
