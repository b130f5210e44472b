#include "weft/formats/gguf.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "weft/core/error.h"
#include "weft/formats/gguf_values.h"

namespace weft::formats {
namespace {

using nlohmann::ordered_json;

constexpr uint64_t kMaxElements = uint64_t{1} << 48;
constexpr uint32_t kMaxRank = 4;
constexpr uint64_t kMaxKeys = 10'000;  // models have fewer than 100
constexpr std::string_view kAlignmentKey = "general.alignment";

class GgufReader {
 public:
  GgufReader(std::string_view where, std::string_view file) : where_(where), file_(file) {}

  GgufContents read();

 private:
  struct Info {
    GgufTensor tensor;
    uint64_t begin = 0;  // from the beginning of the data
  };

  template <class T>
  T take(std::string_view what);
  std::string_view take_bytes(uint64_t count, std::string_view what);
  std::string_view take_string(std::string_view what);
  // The number of items that follow, of at least `bytes` bytes each.
  uint64_t take_count(uint64_t bytes, std::string_view what);
  ordered_json take_value(GgufValueType type, std::string_view key);
  ordered_json take_array(std::string_view key);
  Info take_info();
  uint64_t alignment(const ordered_json& metadata) const;
  void find_data(std::vector<Info>& infos, uint64_t alignment) const;

  std::string_view where_, file_;
  uint64_t at_ = 0;
};

std::string_view GgufReader::take_bytes(uint64_t count, std::string_view what) {
  if (count > file_.size() - at_) {
    fail<FormatError>(where_, "ends in {}; expected {} more bytes", what,
                      count - (file_.size() - at_));
  }
  const std::string_view out = file_.substr(at_, count);
  at_ += count;
  return out;
}

template <class T>
T GgufReader::take(std::string_view what) {
  T out;
  std::memcpy(&out, take_bytes(sizeof(T), what).data(), sizeof(T));
  return out;
}

uint64_t GgufReader::take_count(uint64_t bytes, std::string_view what) {
  const auto count = take<uint64_t>(what);
  const uint64_t most = (file_.size() - at_) / bytes;
  if (count > most) {
    fail<FormatError>(where_, "{} has {} items, but the file holds {} at most", what, count, most);
  }
  return count;
}

std::string_view GgufReader::take_string(std::string_view what) {
  return take_bytes(take_count(1, what), what);
}

ordered_json GgufReader::take_array(std::string_view key) {
  const auto type = static_cast<GgufValueType>(take<uint32_t>(key));
  if (type == GgufValueType::kArray) fail<FormatError>(where_, "{} is a list of lists", quote(key));
  const uint64_t count = take_count(type == GgufValueType::kString ? sizeof(uint64_t) : 1, key);
  ordered_json::array_t out;
  out.reserve(count);
  for (uint64_t i = 0; i < count; ++i) out.push_back(take_value(type, key));
  return out;
}

ordered_json GgufReader::take_value(GgufValueType type, std::string_view key) {
  switch (type) {
    case GgufValueType::kUint8: return take<uint8_t>(key);
    case GgufValueType::kInt8: return take<int8_t>(key);
    case GgufValueType::kUint16: return take<uint16_t>(key);
    case GgufValueType::kInt16: return take<int16_t>(key);
    case GgufValueType::kUint32: return take<uint32_t>(key);
    case GgufValueType::kInt32: return take<int32_t>(key);
    case GgufValueType::kFloat32: return take<float>(key);
    case GgufValueType::kBool: {
      const auto value = take<uint8_t>(key);
      if (value > 1) fail<FormatError>(where_, "{} is the boolean {}", quote(key), value);
      return value == 1;
    }
    case GgufValueType::kString: return std::string(take_string(key));
    case GgufValueType::kArray: return take_array(key);
    case GgufValueType::kUint64: return take<uint64_t>(key);
    case GgufValueType::kInt64: return take<int64_t>(key);
    case GgufValueType::kFloat64: return take<double>(key);
  }
  fail<FormatError>(where_, "{} has the unknown type {}", quote(key), static_cast<uint32_t>(type));
}

GgufReader::Info GgufReader::take_info() {
  Info out;
  GgufTensor& tensor = out.tensor;
  tensor.name = take_string("the name of a tensor");
  const std::string what = "tensor " + quote(tensor.name);
  const auto rank = take<uint32_t>(what);
  if (rank < 1 || rank > kMaxRank) {
    fail<FormatError>(where_, "{} has {} dimensions; expected 1 to {}", what, rank, kMaxRank);
  }
  uint64_t elements = 1;
  for (uint32_t i = 0; i < rank; ++i) {
    const auto size = take<uint64_t>(what);
    if (size < 1 || size > kMaxElements / elements) {
      fail<FormatError>(where_, "{} has a dimension of {}", what, size);
    }
    elements *= size;
    tensor.shape.insert(tensor.shape.begin(), static_cast<int64_t>(size));
  }
  const auto number = take<uint32_t>(what);
  const std::optional<GgufType> type = gguf_type(number);
  if (!type) {
    fail<FormatError>(where_, "{} has elements of type {}; expected {}", what, number,
                      supported_gguf_types());
  }
  tensor.type = *type;
  out.begin = take<uint64_t>(what);
  return out;
}

uint64_t GgufReader::alignment(const ordered_json& metadata) const {
  const auto found = metadata.find(kAlignmentKey);
  if (found == metadata.end()) return 32;
  if (!found->is_number_unsigned() || !std::has_single_bit(found->get<uint64_t>()) ||
      found->get<uint64_t>() > file_.size()) {
    fail<FormatError>(where_, "{} is {}; expected a power of two", kAlignmentKey,
                      found->dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  }
  return found->get<uint64_t>();
}

// The bytes of the tensors lie in the rest of the file.
void GgufReader::find_data(std::vector<Info>& infos, uint64_t alignment) const {
  const uint64_t begin = (at_ + alignment - 1) / alignment * alignment;
  const std::string_view data = begin < file_.size() ? file_.substr(begin) : std::string_view();
  for (Info& info : infos) {
    const std::string what = "tensor " + quote(info.tensor.name);
    const GgufLayout layout = layout_of(info.tensor.type);
    if (info.tensor.shape.back() % layout.elements != 0) {
      fail<FormatError>(where_, "{} has rows of {} elements; expected whole blocks of {}", what,
                        info.tensor.shape.back(), layout.elements);
    }
    const auto bytes =
        static_cast<uint64_t>(info.tensor.elements() / layout.elements * layout.bytes);
    if (info.begin % alignment != 0 || info.begin > data.size() ||
        bytes > data.size() - info.begin) {
      fail<FormatError>(where_, "{} has bytes {} to {} of {}", what, info.begin, info.begin + bytes,
                        data.size());
    }
    info.tensor.data = data.substr(info.begin, bytes);
  }
  std::vector<const Info*> sorted;
  sorted.reserve(infos.size());
  for (const Info& info : infos) sorted.push_back(&info);
  std::ranges::sort(sorted, {}, [](const Info* info) { return info->begin; });
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i - 1]->begin + sorted[i - 1]->tensor.data.size() <= sorted[i]->begin) continue;
    fail<FormatError>(where_, "tensors {} and {} overlap", quote(sorted[i - 1]->tensor.name),
                      quote(sorted[i]->tensor.name));
  }
}

GgufContents GgufReader::read() {
  if (!file_.starts_with(kGgufMagic)) fail<FormatError>(where_, "is no GGUF file");
  at_ = kGgufMagic.size();
  const auto version = take<uint32_t>("the header");
  if (version != 2 && version != 3) {
    fail<FormatError>(where_, "has the version {}; expected 2 or 3, little-endian", version);
  }
  const auto tensors = take<uint64_t>("the header");
  const uint64_t keys = take_count(sizeof(uint64_t) + sizeof(uint32_t), "the metadata");
  if (keys > kMaxKeys) {
    fail<FormatError>(where_, "has {} keys of metadata; expected {} at most", keys, kMaxKeys);
  }
  GgufContents out{.metadata = ordered_json::object(), .tensors = {}};
  std::set<std::string, std::less<>> names;
  for (uint64_t i = 0; i < keys; ++i) {
    const std::string key(take_string("the name of a key"));
    if (!names.insert(key).second) fail<FormatError>(where_, "duplicate key {}", quote(key));
    const auto type = static_cast<GgufValueType>(take<uint32_t>(key));
    out.metadata.push_back({key, take_value(type, key)});
  }
  names.clear();
  std::vector<Info> infos;
  for (uint64_t i = 0; i < tensors; ++i) {
    infos.push_back(take_info());
    const std::string& name = infos.back().tensor.name;
    if (!names.insert(name).second) fail<FormatError>(where_, "duplicate tensor {}", quote(name));
  }
  find_data(infos, alignment(out.metadata));
  out.tensors.reserve(infos.size());
  for (Info& info : infos) out.tensors.push_back(std::move(info.tensor));
  return out;
}

}  // namespace

int64_t GgufTensor::elements() const {
  int64_t out = 1;
  for (const int64_t size : shape) out *= size;
  return out;
}

GgufContents parse_gguf(std::string_view where, std::string_view file) {
  return GgufReader(where, file).read();
}

}  // namespace weft::formats
