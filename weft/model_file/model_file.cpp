#include "weft/model_file/model_file.h"

#include <atomic>
#include <cstring>

#include "weft/core/error.h"
#include "weft/core/log.h"

namespace weft::model_file {
namespace {

constexpr int64_t kFirstWithChecksum = 2;
constexpr const char* kOptionsKey = "weft.options";
constexpr const char* kTrainingStateKey = "weft.training-state";

std::atomic<bool> checks_model_files{false};

void check_bytes(const formats::SafetensorsFile& file) {
  if (file.has_checksum()) {
    file.check();
  } else {
    log::warn("{} has no checksum: its content is not verified", file.path());
  }
}

// Returns the options after checking the format version.
std::string read_options(const formats::SafetensorsFile& file) {
  const auto found = file.metadata().find(kOptionsKey);
  if (found == file.metadata().end()) {
    if (file.metadata().contains(kTrainingStateKey)) {
      fail<FormatError>(file.path(), "is the state of a training; expected the model beside it");
    }
    fail<FormatError>(file.path(), "no '{}' in its metadata; expected a model file written by Weft",
                      kOptionsKey);
  }
  // Before parsing: a later version may have unknown options.
  const int64_t version = options::integer_in_json(found->second, "format-version").value_or(0);
  if (version > kFormatVersion) {
    fail<FormatError>(file.path(), "format version {}; this program reads up to {}", version,
                      kFormatVersion);
  }
  if (version >= kFirstWithChecksum && !file.has_checksum()) {
    fail<FormatError>(file.path(),
                      "no checksum; expected one in format version {}; hint: the file is damaged, "
                      "use another copy",
                      version);
  }
  return found->second;
}

// Gives the parameters memory and these values.
void bind_copies(const std::vector<nn::NamedParameter>& parameters,
                 const std::vector<Tensor>& values) {
  nn::bind(parameters);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& value = parameters[i].parameter->value;
    std::memcpy(value.bytes(), values[i].bytes(),
                static_cast<size_t>(value.size()) * sizeof(float));
  }
}

bool is_rounded_matrix(kernels::PackedType type) {
  const DType* dtype = std::get_if<DType>(&type);
  return dtype == nullptr || *dtype == DType::kBF16 || *dtype == DType::kI8;
}

}  // namespace

void check_model_files(bool checks) { checks_model_files.store(checks); }

ModelFile::ModelFile(const std::string& path) : ContentsReader(path), file_(path) {
  if (checks_model_files.load()) check_bytes(file_);
  options_ = {{read_options(file_), path}};
  kind_ = options::text_in_json(options(), "type").value_or("");
}

std::string ModelFile::asset(const std::string& name, std::string_view description) {
  if (!file_.has(name)) fail<FormatError>(path(), "no tensor '{}', {}", name, description);
  assets_.insert(name);
  const Tensor bytes = file_.tensor(name);
  if (bytes.dtype() != DType::kU8) {
    fail<FormatError>(path(), "tensor '{}', {}, is {}; expected U8", name, description,
                      name_of(bytes.dtype()));
  }
  return {reinterpret_cast<const char*>(bytes.data<uint8_t>()), static_cast<size_t>(bytes.size())};
}

std::string ModelFile::resolve_alias(const std::string& name) const {
  const auto found = file_.aliases().find(name);
  return found == file_.aliases().end() ? name : found->second;
}

void ModelFile::check_tensors(const std::vector<nn::NamedParameter>& parameters) const {
  const MatrixReader matrices(file_);
  std::set<std::string> known = assets_;
  for (const auto& [name, p] : parameters) {
    if (!file_.has(name)) fail<FormatError>(path(), "no tensor '{}'", name);
    const kernels::PackedType type = matrices.type(name);
    const Shape shape = matrices.shape(name);
    const bool fits =
        type == kernels::PackedType(DType::kF32) || (p->is_matrix() && is_rounded_matrix(type));
    if (shape != p->shape || !fits) {
      fail<FormatError>(path(), "tensor '{}' has the wrong shape; expected {} {}, got {} {}", name,
                        p->shape.text(), p->is_matrix() ? "F32, BF16, I8 or blocks" : "F32",
                        shape.text(), name_of(type));
    }
    known.insert(name);
  }
  for (const std::string& name : file_.names()) {
    if (!known.contains(name) && !matrices.is_part(name)) {
      fail<FormatError>(path(), "tensor '{}' is not part of the model", name);
    }
  }
}

Tensor ModelFile::bind(const std::vector<nn::NamedParameter>& parameters) const {
  check_tensors(parameters);
  const MatrixReader matrices(file_);
  std::vector<Tensor> tensors;
  tensors.reserve(parameters.size());
  for (const auto& [name, p] : parameters) tensors.push_back(matrices.float32(name));
  return nn::bind(parameters, tensors);
}

std::map<std::string, Tensor> ModelFile::tensors() const {
  const MatrixReader matrices(file_);
  std::map<std::string, Tensor> out;
  for (const std::string& name : file_.names()) {
    if (matrices.is_part(name) || matrices.type(name) == kernels::PackedType(DType::kU8)) continue;
    out[name] = matrices.float32(name);
  }
  return out;
}

void ModelFile::pack(const std::vector<nn::NamedParameter>& parameters, Rounding rounding) const {
  check_tensors(parameters);
  const MatrixReader matrices(file_);
  std::vector<nn::NamedParameter> vectors;
  std::vector<Tensor> values;
  for (const auto& [name, p] : parameters) {
    if (!p->is_matrix()) {
      vectors.push_back({name, p});
      values.push_back(file_.tensor(name));
      continue;
    }
    p->packed = matrices.packed(name, rounding.type(*p, matrices.type(name)));
    file_.release(name);
  }
  bind_copies(vectors, values);  // their pages in the file are shared with the matrices
}

StoredMatrices tensors_of(const std::vector<nn::NamedParameter>& parameters,
                          const Tensor& weights) {
  StoredMatrices out;
  int64_t begin = 0;
  for (const auto& [name, p] : parameters) {
    const int64_t end = begin + p->shape.size();
    out.add(name, weights.col_range(begin, end).reshape(p->shape));
    begin = end;
  }
  return out;
}

StoredMatrices rounded_tensors_of(const std::vector<nn::NamedParameter>& parameters,
                                  Rounding rounding) {
  StoredMatrices out;
  for (const auto& [name, p] : parameters) {
    if (p->is_matrix()) {
      out.add(name, p->value, rounding.type(*p, DType::kF32));
    } else {
      out.add(name, p->value);
    }
  }
  return out;
}

void write(const std::string& path, const Contents& contents, StoredMatrices matrices) {
  std::map<std::string, std::string> aliases;
  for (const Asset& asset : contents.assets) {
    if (!asset.alias_of.empty()) {
      aliases[asset.name] = asset.alias_of;
      continue;
    }
    const auto* data = reinterpret_cast<const uint8_t*>(asset.bytes.data());
    const auto size = static_cast<int64_t>(asset.bytes.size());
    matrices.add(asset.name, Tensor::from(std::span(data, asset.bytes.size()), {size}));
  }
  matrices.metadata[kOptionsKey] = contents.options;
  formats::save_safetensors(path, matrices.tensors, matrices.metadata, aliases,
                            formats::WithChecksum::kYes);
}

}  // namespace weft::model_file
