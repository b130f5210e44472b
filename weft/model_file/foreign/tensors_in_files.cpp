#include "weft/model_file/foreign/tensors_in_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace weft::model_file {
namespace {

int64_t size_of(const MappedTensor& tensor) {
  int64_t out = 0;
  for (const nn::NamedParameter& part : tensor.parts) out += part.parameter->shape.size();
  return out;
}

}  // namespace

std::vector<TensorInFile> tensors_in_files(const NameMap& map, const ForeignTensors& tensors,
                                           const std::vector<nn::NamedParameter>& parameters) {
  std::vector<TensorInFile> out;
  out.reserve(parameters.size());
  for (const nn::NamedParameter& one : parameters) out.push_back({.name = one.name, .type = {}});
  for (const MappedTensor& mapped : mapped_tensors(map, parameters)) {
    const int64_t bytes = tensors.bytes(mapped.theirs), size = size_of(mapped);
    for (const nn::NamedParameter& part : mapped.parts) {
      const auto found = std::ranges::find(out, part.name, &TensorInFile::name);
      found->type = tensors.type_name(mapped.theirs);
      found->bytes = bytes / size * part.parameter->shape.size() +
                     bytes % size * part.parameter->shape.size() / size;
    }
  }
  return out;
}

int64_t bytes_of_files(const ForeignTensors& tensors) {
  std::set<std::string> paths;
  for (const std::string& name : tensors.names()) paths.insert(tensors.path_of(name));
  int64_t out = 0;
  for (const std::string& path : paths) {
    out += static_cast<int64_t>(std::filesystem::file_size(path));
  }
  return out;
}

}  // namespace weft::model_file
