#include "weft/formats/gguf_writer.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/formats/gguf_quantise.h"
#include "weft/formats/gguf_values.h"

namespace weft::formats {
namespace {

using nlohmann::ordered_json;

constexpr size_t kGgufAlignment = 32;
constexpr uint32_t kGgufVersion = 3;

using Type = GgufValueType;

class GgufHeader {
 public:
  void add(std::string_view bytes) { out_ += bytes; }
  template <class T>
  void add_number(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void add_text(std::string_view text) {
    add_number(uint64_t{text.size()});
    add(text);
  }
  void add_field(std::string_view key, const ordered_json& value);
  void pad() { out_.resize((out_.size() + kGgufAlignment - 1) / kGgufAlignment * kGgufAlignment); }
  std::string take() { return std::move(out_); }

 private:
  static Type type_of(std::string_view key, const ordered_json& value);
  static Type item_type(std::string_view key, const ordered_json& list);
  void add_value(Type type, const ordered_json& value);

  std::string out_;
};

bool fits_int32(const ordered_json& value) {
  return value.is_number_integer() && value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

Type GgufHeader::type_of(std::string_view key, const ordered_json& value) {
  if (value.is_boolean()) return Type::kBool;
  if (value.is_string()) return Type::kString;
  if (value.is_array() && !value.empty()) return Type::kArray;
  if (value.is_number_float()) return Type::kFloat32;
  if (value.is_number_integer() && value >= 0 && value <= std::numeric_limits<uint32_t>::max()) {
    return Type::kUint32;
  }
  if (fits_int32(value)) return Type::kInt32;
  if (value.is_number_unsigned()) return Type::kUint64;
  if (value.is_number_integer()) return Type::kInt64;
  fail<FormatError>("gguf", "{} has a value that is not written", quote(key));
}

// Of all items of a list.
Type GgufHeader::item_type(std::string_view key, const ordered_json& list) {
  if (std::ranges::all_of(list, fits_int32)) return Type::kInt32;
  const Type out = type_of(key, list.front());
  for (const ordered_json& item : list) {
    if (out != Type::kArray && type_of(key, item) == out) continue;
    fail<FormatError>("gguf", "{} is a list of lists or of several types; expected one type",
                      quote(key));
  }
  return out;
}

void GgufHeader::add_value(Type type, const ordered_json& value) {
  switch (type) {
    case Type::kUint32: return add_number(value.get<uint32_t>());
    case Type::kInt32: return add_number(value.get<int32_t>());
    case Type::kUint64: return add_number(value.get<uint64_t>());
    case Type::kInt64: return add_number(value.get<int64_t>());
    case Type::kFloat32: return add_number(value.get<float>());
    case Type::kBool: return add_number(static_cast<uint8_t>(value.get<bool>()));
    default: return add_text(value.get_ref<const std::string&>());
  }
}

void GgufHeader::add_field(std::string_view key, const ordered_json& value) {
  add_text(key);
  const Type type = type_of(key, value);
  add_number(static_cast<uint32_t>(type));
  if (type != Type::kArray) return add_value(type, value);
  const Type item = item_type(key, value);
  add_number(static_cast<uint32_t>(item));
  add_number(uint64_t{value.size()});
  for (const ordered_json& each : value) add_value(item, each);
}

uint64_t bytes_of(const GgufTensorToWrite& tensor) {
  const GgufLayout layout = layout_of(tensor.type);
  return static_cast<uint64_t>(tensor.values.size() / layout.elements * layout.bytes);
}

std::string padding_after(uint64_t bytes) {
  return std::string((kGgufAlignment - bytes % kGgufAlignment) % kGgufAlignment, '\0');
}

}  // namespace

std::string gguf_header(const ordered_json& metadata, std::span<const GgufTensorToWrite> tensors) {
  GgufHeader out;
  out.add(kGgufMagic);
  out.add_number(kGgufVersion);
  out.add_number(uint64_t{tensors.size()});
  out.add_number(uint64_t{metadata.size()});
  for (const auto& [key, value] : metadata.items()) out.add_field(key, value);
  uint64_t begin = 0;
  for (const GgufTensorToWrite& tensor : tensors) {
    const Shape& shape = tensor.values.shape();
    out.add_text(tensor.name);
    out.add_number(static_cast<uint32_t>(shape.rank()));
    for (int i = shape.rank() - 1; i >= 0; --i) out.add_number(static_cast<uint64_t>(shape[i]));
    out.add_number(static_cast<uint32_t>(tensor.type));
    out.add_number(begin);
    begin += bytes_of(tensor) + padding_after(bytes_of(tensor)).size();
  }
  out.pad();
  return out.take();
}

void save_gguf(const std::string& path, const ordered_json& metadata,
               std::span<const GgufTensorToWrite> tensors) {
  AtomicFile file(path);
  file.write(gguf_header(metadata, tensors));
  for (const GgufTensorToWrite& tensor : tensors) {
    const std::string bytes = quantise(tensor.type, tensor.values);
    file.write(bytes);
    file.write(padding_after(bytes.size()));
  }
  file.commit();
}

}  // namespace weft::formats
