#include "weft/formats/torch/torch_file.h"

#include <array>
#include <cstring>

#include "weft/core/bf16.h"
#include "weft/core/error.h"
#include "weft/core/files/mapped_file.h"
#include "weft/core/float16.h"
#include "weft/core/text/nearest.h"
#include "weft/formats/tensor_shape.h"

namespace weft::formats {
namespace {

constexpr size_t kMaxTorchRank = 4;

template <class T>
T bits_at(const char* data) {
  T out;
  std::memcpy(&out, data, sizeof(out));
  return out;
}

float half_at(const char* data) { return float_of_half(bits_at<uint16_t>(data)); }
float bfloat_at(const char* data) { return static_cast<float>(bits_at<BF16>(data)); }

// Its elements in row-major order; missing dimensions have one.
struct TorchLayout {
  std::array<int64_t, kMaxTorchRank> sizes = {1, 1, 1, 1}, strides = {0, 0, 0, 0};

  explicit TorchLayout(const TorchEntry& e) {
    const size_t first = kMaxTorchRank - e.shape.size();
    for (size_t i = 0; i < e.shape.size(); ++i) {
      sizes[first + i] = e.shape[i];
      strides[first + i] = e.strides[i];
    }
  }
  template <class Body>
  void for_each(const Body& body) const {
    for (int64_t a = 0; a < sizes[0]; ++a) {
      for (int64_t b = 0; b < sizes[1]; ++b) {
        for (int64_t c = 0; c < sizes[2]; ++c) {
          const int64_t row = a * strides[0] + b * strides[1] + c * strides[2];
          for (int64_t d = 0; d < sizes[3]; ++d) body(row + d * strides[3]);
        }
      }
    }
  }
};

}  // namespace

TorchFile::TorchFile(const std::string& path)
    : path_(path),
      file_(std::make_shared<MappedFile>(path)),
      entries_(parse_torch_file(path, file_->bytes())) {
  for (size_t i = 0; i < entries_.size(); ++i) index_[entries_[i].name] = i;
}

std::vector<std::string> TorchFile::names() const {
  std::vector<std::string> out;
  for (const TorchEntry& e : entries_) out.push_back(e.name);
  return out;
}

const TorchEntry& TorchFile::entry(const std::string& name) const {
  const auto found = index_.find(name);
  if (found != index_.end()) return entries_[found->second];
  fail<FormatError>(path_, "no tensor {}{}", quote(name), nearest_hint(name, names()));
}

Shape TorchFile::shape(const std::string& name) const {
  return tensor_shape(path_, name, entry(name).shape);
}

Tensor TorchFile::float32(const std::string& name) const {
  const TorchEntry& e = entry(name);
  Tensor out = Tensor::empty(shape(name));
  const TorchLayout layout(e);
  const char* const data = file_->bytes().data() + e.begin;
  auto* to = out.data<float>();
  const auto read = [&]<class Element>(size_t size, const Element& element) {
    layout.for_each([&](int64_t i) { *to++ = element(data + static_cast<size_t>(i) * size); });
  };
  if (e.dtype == "F32") {
    read(sizeof(float), bits_at<float>);
  } else if (e.dtype == "F16") {
    read(sizeof(uint16_t), half_at);
  } else if (e.dtype == "BF16") {
    read(sizeof(BF16), bfloat_at);
  } else {
    fail<FormatError>(path_, "tensor {} is {}; expected F32, F16 or BF16", quote(name), e.dtype);
  }
  return out;
}

int64_t TorchFile::bytes(const std::string& name) const {
  return static_cast<int64_t>(entry(name).bytes);
}

void TorchFile::release(const std::string& name) const {
  const TorchEntry& e = entry(name);
  file_->release(file_->bytes().data() + e.begin, e.bytes);
}

}  // namespace weft::formats
