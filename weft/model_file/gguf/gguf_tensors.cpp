#include "weft/model_file/gguf/gguf_tensors.h"

namespace weft::model_file {

GgufTensors::GgufTensors(const std::string& path)
    : path_(path),
      file_(std::make_shared<const MappedFile>(path)),
      contents_(formats::parse_gguf(path, file_->bytes())) {
  for (size_t i = 0; i < contents_.tensors.size(); ++i) by_name_[contents_.tensors[i].name] = i;
}

std::vector<std::string> GgufTensors::names() const {
  std::vector<std::string> out;
  for (const formats::GgufTensor& tensor : contents_.tensors) out.push_back(tensor.name);
  return out;
}

Shape GgufTensors::shape(const std::string& name) const {
  const std::vector<int64_t>& d = tensor(name).shape;
  switch (d.size()) {
    case 1: return {d[0]};
    case 2: return {d[0], d[1]};
    case 3: return {d[0], d[1], d[2]};
    default: return {d[0], d[1], d[2], d[3]};
  }
}

Tensor GgufTensors::float32(const std::string& name) const {
  const formats::GgufTensor& from = tensor(name);
  Tensor out = Tensor::empty(shape(name));
  formats::dequantise(from.type, from.data, out.span<float>());
  return out;
}

kernels::PackedType GgufTensors::type(const std::string& name) const {
  switch (const formats::GgufType type = tensor(name).type) {
    case formats::GgufType::kF32:
    case formats::GgufType::kF16: return DType::kF32;
    case formats::GgufType::kBF16: return DType::kBF16;
    default: return static_cast<kernels::BlockType>(type);
  }
}

void GgufTensors::release(const std::string& name) const {
  const std::string_view data = tensor(name).data;
  file_->release(data.data(), data.size());
}

}  // namespace weft::model_file
