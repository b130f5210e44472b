#include "weft/model_file/adapter.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/formats/safetensors_header.h"
#include "weft/model_file/model_file.h"

namespace weft::model_file {
namespace {

constexpr std::string_view kDown = ".lora_a.weight", kWeight = ".weight";

// The names of weights whose A a file holds, in its order.
std::vector<std::string> updated_weights(const formats::SafetensorsFile& file) {
  std::vector<std::string> out;
  for (const std::string& name : file.names()) {
    if (!name.ends_with(kDown)) continue;
    out.push_back(name.substr(0, name.size() - kDown.size()).append(kWeight));
  }
  return out;
}

Tensor matrix(const formats::SafetensorsFile& file, const std::string& name) {
  if (!file.has(name)) fail<FormatError>(file.path(), "no tensor '{}'", name);
  Tensor out = file.tensor(name);
  if (out.dtype() == DType::kF32 && out.shape().rank() == 2 && out.size() > 0) return out;
  fail<FormatError>(file.path(), "tensor '{}' is {} {}; expected a matrix of F32", name,
                    name_of(out.dtype()), out.shape().text());
}

void check_adapter_tensors(const formats::SafetensorsFile& file, const Adapter& adapter) {
  std::set<std::string> known;
  for (const AdapterMatrices& update : adapter.updates) {
    known.insert(nn::down_name(update.weight));
    known.insert(nn::up_name(update.weight));
    const int64_t rank = update.down.rows();
    if (update.up.cols() == rank) continue;
    fail<FormatError>(file.path(), "tensor '{}' has {} columns; expected {}, the rows of '{}'",
                      nn::up_name(update.weight), update.up.cols(), rank,
                      nn::down_name(update.weight));
  }
  for (const std::string& name : file.names()) {
    if (known.contains(name)) continue;
    fail<FormatError>(file.path(), "tensor '{}' is not part of an adapter", name);
  }
  if (adapter.updates.empty()) fail<FormatError>(file.path(), "no updates; expected at least one");
}

void copy_values(const Tensor& from, const Tensor& to) {
  std::memcpy(to.bytes(), from.bytes(), static_cast<size_t>(to.size()) * sizeof(float));
}

}  // namespace

std::string base_checksum(const ModelParameters& model) {
  Hash hash;
  for (const auto& [name, p] : model) {
    for (const char c : name) hash.add(static_cast<uint8_t>(c));
    for (int i = 0; i < p->shape.rank(); ++i) hash.add(static_cast<uint64_t>(p->shape[i]));
    if (p->is_matrix()) continue;
    const Tensor rounded = p->value.to(DType::kBF16);  // what a copy in BF16 keeps
    const auto* bits = reinterpret_cast<const uint16_t*>(rounded.bytes());
    for (int64_t i = 0; i < rounded.size(); ++i) hash.add(bits[i]);
  }
  return formats::checksum_digits(hash.value());
}

Adapter read_adapter(const std::string& path) {
  ModelFile model(path);
  Adapter out{.options = model.header<AdapterOptions>(AdapterOptions::kKind), .updates = {}};
  const formats::SafetensorsFile& file = model.file();
  for (const std::string& weight : updated_weights(file)) {
    out.updates.push_back(
        {weight, matrix(file, nn::down_name(weight)), matrix(file, nn::up_name(weight))});
  }
  check_adapter_tensors(file, out);
  return out;
}

void write_adapter(const std::string& path, const Adapter& adapter) {
  StoredMatrices tensors;
  for (const AdapterMatrices& update : adapter.updates) {
    tensors.add(nn::down_name(update.weight), update.down);
    tensors.add(nn::up_name(update.weight), update.up);
  }
  AdapterOptions options = adapter.options;
  write(path, {.options = options::options_to_json(options), .assets = {}}, std::move(tensors));
}

Adapter adapter_of(const ModelParameters& model, const AdapterOptions& options,
                   const Tensor& values) {
  std::map<std::string, Tensor> by_name;
  int64_t begin = 0;
  for (const auto& [name, p] : nn::low_rank_parameters(model)) {
    const int64_t end = begin + p->shape.size();
    by_name[name] = values.col_range(begin, end).reshape(p->shape);
    begin = end;
  }
  Adapter out{.options = options, .updates = {}};
  for (const auto& [name, p] : model) {
    if (p->low_rank.empty()) continue;
    out.updates.push_back({name, by_name.at(nn::down_name(name)), by_name.at(nn::up_name(name))});
  }
  return out;
}

void check_fits(const ModelParameters& model, const Adapter& adapter, const std::string& path) {
  const AdapterOptions& options = adapter.options;
  const std::string checksum = base_checksum(model);
  if (!options.base_checksum.empty() && options.base_checksum != checksum) {
    fail<FormatError>(path, "base-checksum {}; expected {}: it was trained on another model",
                      options.base_checksum, checksum);
  }
  const ModelParameters maps = nn::linear_maps(model);
  for (const auto& [name, down, up] : adapter.updates) {
    const auto weight = std::ranges::find(maps, name, &nn::NamedParameter::name);
    if (weight == maps.end()) {
      fail<FormatError>(path, "an update of '{}', which is no linear map of the model", name);
    }
    const Shape shape{up.rows(), down.cols()}, expected = weight->parameter->shape;
    if (shape == expected) continue;
    fail<FormatError>(path, "the update of '{}' is of a matrix {}; expected {}", name, shape.text(),
                      expected.text());
  }
}

void attach(const ModelParameters& model, const Adapter& adapter, const std::string& path) {
  check_fits(model, adapter, path);
  std::vector<nn::LowRankTarget> targets;
  for (const AdapterMatrices& update : adapter.updates) {
    targets.push_back({update.weight, update.down.rows()});
  }
  nn::add_low_rank(model, targets,
                   {.scale = adapter.options.scale(), .dropout = adapter.options.dropout});
  nn::bind(nn::low_rank_parameters(model));
  for (const AdapterMatrices& update : adapter.updates) {
    const auto weight = std::ranges::find(model, update.weight, &nn::NamedParameter::name);
    const nn::LowRank& mine = weight->parameter->low_rank.front();
    copy_values(update.down, mine.down.value);
    copy_values(update.up, mine.up.value);
  }
}

}  // namespace weft::model_file
