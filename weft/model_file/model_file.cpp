#include "weft/model_file/model_file.h"

#include <atomic>
#include <cstring>

#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/tensor/quantise.h"

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

std::string scales_of(const std::string& name) { return name + ".scales"; }

Tensor scales_in(const formats::SafetensorsFile& file, const std::string& name) {
  return file.has(scales_of(name)) ? file.tensor(scales_of(name)) : Tensor();
}

void check_scales(const formats::SafetensorsFile& file, const std::string& name, int64_t rows) {
  const std::string scales = scales_of(name);
  if (!file.has(scales)) fail<FormatError>(file.path(), "no tensor '{}'", scales);
  const Tensor s = file.tensor(scales);
  if (s.shape() == Shape{rows} && s.dtype() == DType::kF32) return;
  fail<FormatError>(file.path(), "tensor '{}' has the wrong shape; expected [{}] F32, got {} {}",
                    scales, rows, s.shape().text(), name_of(s.dtype()));
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
  std::set<std::string> known = assets_;
  for (const auto& [name, p] : parameters) {
    if (!file_.has(name)) fail<FormatError>(path(), "no tensor '{}'", name);
    const Tensor x = file_.tensor(name);
    const bool may_be_rounded = p->is_matrix();
    const bool fits = x.dtype() == DType::kF32 ||
                      (may_be_rounded && (x.dtype() == DType::kBF16 || x.dtype() == DType::kI8));
    if (x.shape() != p->shape || !fits) {
      fail<FormatError>(path(), "tensor '{}' has the wrong shape; expected {} {}, got {} {}", name,
                        p->shape.text(), may_be_rounded ? "F32, BF16 or I8" : "F32",
                        x.shape().text(), name_of(x.dtype()));
    }
    known.insert(name);
    if (x.dtype() != DType::kI8) continue;
    check_scales(file_, name, p->shape.rows());
    known.insert(scales_of(name));
  }
  for (const std::string& name : file_.names()) {
    if (!known.contains(name)) {
      fail<FormatError>(path(), "tensor '{}' is not part of the model", name);
    }
  }
}

Tensor ModelFile::to_float32(const std::string& name) const {
  const Tensor x = file_.tensor(name);
  if (x.dtype() == DType::kI8) return dequantise_rows({x, scales_in(file_, name)});
  return x.dtype() == DType::kF32 ? x : x.to(DType::kF32);
}

Tensor ModelFile::bind(const std::vector<nn::NamedParameter>& parameters) const {
  check_tensors(parameters);
  std::vector<Tensor> tensors;
  tensors.reserve(parameters.size());
  for (const auto& [name, p] : parameters) tensors.push_back(to_float32(name));
  return nn::bind(parameters, tensors);
}

std::map<std::string, Tensor> ModelFile::tensors() const {
  std::map<std::string, Tensor> out;
  std::set<std::string> scales;
  for (const std::string& name : file_.names()) {
    if (file_.tensor(name).dtype() != DType::kI8) continue;
    check_scales(file_, name, file_.tensor(name).rows());
    scales.insert(scales_of(name));
  }
  for (const std::string& name : file_.names()) {
    const bool is_asset = file_.tensor(name).dtype() == DType::kU8;
    if (!is_asset && !scales.contains(name)) out[name] = to_float32(name);
  }
  return out;
}

void ModelFile::pack(const std::vector<nn::NamedParameter>& parameters, Precision precision) const {
  check_tensors(parameters);
  std::vector<nn::NamedParameter> vectors;
  std::vector<Tensor> values;
  for (const auto& [name, p] : parameters) {
    const Tensor x = file_.tensor(name);
    if (!p->is_matrix()) {
      vectors.push_back({name, p});
      values.push_back(x);
      continue;
    }
    p->packed = PackedWeight(x, packed_type(precision, x.dtype()), scales_in(file_, name));
    file_.release(name);
  }
  bind_copies(vectors, values);  // their pages in the file are shared with the matrices
}

formats::NamedTensors tensors_of(const std::vector<nn::NamedParameter>& parameters,
                                 const Tensor& weights) {
  formats::NamedTensors out;
  int64_t begin = 0;
  for (const auto& [name, p] : parameters) {
    const int64_t end = begin + p->shape.size();
    out.emplace_back(name, weights.col_range(begin, end).reshape(p->shape));
    begin = end;
  }
  return out;
}

formats::NamedTensors rounded_tensors_of(const std::vector<nn::NamedParameter>& parameters,
                                         Precision precision) {
  formats::NamedTensors out;
  for (const auto& [name, p] : parameters) {
    if (!p->is_matrix() || precision == Precision::kFloat32) {
      out.emplace_back(name, p->value);
    } else if (precision == Precision::kInt8) {
      const QuantisedRows rows = quantise_rows(p->value);
      out.emplace_back(name, rows.integers);
      out.emplace_back(scales_of(name), rows.scales);
    } else {
      out.emplace_back(name, p->value.to(DType::kBF16));
    }
  }
  return out;
}

void write(const std::string& path, const Contents& contents, formats::NamedTensors tensors) {
  std::map<std::string, std::string> aliases;
  for (const Asset& asset : contents.assets) {
    if (!asset.alias_of.empty()) {
      aliases[asset.name] = asset.alias_of;
      continue;
    }
    const auto* data = reinterpret_cast<const uint8_t*>(asset.bytes.data());
    const auto size = static_cast<int64_t>(asset.bytes.size());
    tensors.emplace_back(asset.name, Tensor::from(std::span(data, asset.bytes.size()), {size}));
  }
  formats::save_safetensors(path, tensors, {{kOptionsKey, contents.options}}, aliases,
                            formats::WithChecksum::kYes);
}

}  // namespace weft::model_file
