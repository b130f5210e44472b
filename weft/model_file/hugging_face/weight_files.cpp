#include "weft/model_file/hugging_face/weight_files.h"

#include <initializer_list>

#include "weft/core/error.h"
#include "weft/data/text/text_file.h"
#include "weft/model_file/foreign/fields.h"
#include "weft/model_file/hugging_face/paths.h"

namespace weft::model_file {
namespace {

constexpr std::string_view kSafetensors = ".safetensors";
constexpr const char *kWeightsFile = "model.safetensors", *kTorchFile = "pytorch_model.bin";
constexpr const char *kIndexFile = "model.safetensors.index.json",
                     *kTorchIndexFile = "pytorch_model.bin.index.json";

// The path of the first of these files in a folder. Throws FileError where there is none.
std::string find_weights(const std::string& folder, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (file_exists(path_in(folder, name))) return path_in(folder, name);
  }
  const std::string path = path_in(folder, kWeightsFile);
  for (const char* other : {"tf_model.h5", "flax_model.msgpack"}) {
    if (!file_exists(path_in(folder, other))) continue;
    fail<FileError>(path,
                    "no such file, and {} is not supported; hint: Transformers writes it with "
                    "AutoModel.from_pretrained(folder).save_pretrained(folder), where AutoModel is "
                    "the class that config.json names",
                    other);
  }
  fail<FileError>(path, "no such file, and no {}; expected the weights of the model", kTorchFile);
}

// The file that the index says a tensor is in. Throws FormatError unless it is in the folder.
std::string shard_name(const Json& value, const std::string& tensor, const std::string& index) {
  auto name = value.is_string() ? value.get<std::string>() : std::string();
  const bool is_plain = name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
  if (!name.empty() && is_plain && name != "." && name != "..") return name;
  fail<FormatError>(index, "tensor {} is in {}; expected the name of a file of the folder",
                    quote(tensor), short_text(value));
}

}  // namespace

WeightFile::WeightFile(const std::string& path)
    : file_(path.ends_with(kSafetensors) ? decltype(file_)(formats::SafetensorsFile(path))
                                         : decltype(file_)(formats::TorchFile(path))) {}

const std::string& WeightFile::path() const {
  return std::visit([](const auto& file) -> const std::string& { return file.path(); }, file_);
}

std::vector<std::string> WeightFile::names() const {
  return std::visit([](const auto& file) { return file.names(); }, file_);
}

bool WeightFile::has(const std::string& name) const {
  return std::visit([&](const auto& file) { return file.has(name); }, file_);
}

Shape WeightFile::shape(const std::string& name) const {
  return std::visit([&](const auto& file) { return file.shape(name); }, file_);
}

const std::string& WeightFile::dtype(const std::string& name) const {
  return std::visit([&](const auto& file) -> const std::string& { return file.dtype(name); },
                    file_);
}

int64_t WeightFile::bytes(const std::string& name) const {
  return std::visit([&](const auto& file) { return file.bytes(name); }, file_);
}

Tensor WeightFile::float32(const std::string& name) const {
  if (const auto* torch = std::get_if<formats::TorchFile>(&file_)) return torch->float32(name);
  const Tensor x = std::get<formats::SafetensorsFile>(file_).tensor(name);
  if (x.dtype() != DType::kF32 && x.dtype() != DType::kBF16) {
    fail<FormatError>(path(), "tensor '{}' is {}; expected F32, F16 or BF16", name,
                      name_of(x.dtype()));
  }
  return x.to(DType::kF32);
}

void WeightFile::release(const std::string& name) const {
  std::visit([&](const auto& file) { file.release(name); }, file_);
}

std::string WeightFile::metadata(const std::string& name) const {
  const auto* safetensors = std::get_if<formats::SafetensorsFile>(&file_);
  if (safetensors == nullptr) return {};
  const auto found = safetensors->metadata().find(name);
  return found == safetensors->metadata().end() ? std::string() : found->second;
}

WeightFiles::WeightFiles(const std::string& folder)
    : path_(find_weights(folder, {kWeightsFile, kIndexFile, kTorchFile, kTorchIndexFile})) {
  if (path_.ends_with(".json")) {
    open_shards(folder);
  } else {
    add(WeightFile(path_));
  }
}

WeightFiles::WeightFiles(const WeightFile& file) : path_(file.path()) { add(file); }

void WeightFiles::add(const WeightFile& file) {
  files_.emplace(path_, file);
  for (const std::string& name : file.names()) file_of_[name] = path_;
}

void WeightFiles::open_shards(const std::string& folder) {
  Fields index(data::read_bytes(path_, Pipes::kRefused), path_);
  const Json& listed = index.take("weight_map");
  if (!listed.is_object()) index.refuse("field 'weight_map' is no object");
  for (const auto& [tensor, file] : listed.items()) {
    file_of_[tensor] = shard_name(file, tensor, path_);
  }
  for (const auto& [tensor, shard] : file_of_) {
    const auto& opened = files_.try_emplace(shard, path_in(folder, shard.c_str())).first->second;
    if (!opened.has(tensor)) {
      fail<FormatError>(path_, "tensor {} is not in {}", quote(tensor), quote(shard));
    }
  }
  for (const auto& [shard, opened] : files_) {
    for (const std::string& tensor : opened.names()) {
      const auto found = file_of_.find(tensor);
      if (found != file_of_.end() && found->second == shard) continue;
      fail<FormatError>(opened.path(), "tensor {} is {} by {}", quote(tensor),
                        found == file_of_.end() ? "not listed" : "said to be in another file",
                        path_.substr(folder.size() + 1));
    }
  }
}

void WeightFiles::add_folder(const std::string& folder, const std::string& prefix) {
  const std::string path = find_weights(folder, {kWeightsFile, kTorchFile});
  const auto& opened = files_.try_emplace(path, path).first->second;
  for (const std::string& name : opened.names()) {
    file_of_[prefix + name] = path;
    name_there_[prefix + name] = name;
  }
}

const std::string& WeightFiles::name_there(const std::string& name) const {
  const auto found = name_there_.find(name);
  return found == name_there_.end() ? name : found->second;
}

Shape WeightFiles::shape(const std::string& name) const {
  return file(name).shape(name_there(name));
}

void WeightFiles::release(const std::string& name) const { file(name).release(name_there(name)); }

std::vector<std::string> WeightFiles::names() const {
  std::vector<std::string> out;
  for (const auto& [name, unused] : file_of_) out.push_back(name);
  return out;
}

const std::string& WeightFiles::path_of(const std::string& name) const {
  return has(name) ? file(name).path() : path_;
}

kernels::PackedType WeightFiles::type(const std::string& name) const {
  return file(name).dtype(name_there(name)) == "BF16" ? DType::kBF16 : DType::kF32;
}

std::string_view WeightFiles::type_name(const std::string& name) const {
  return file(name).dtype(name_there(name));
}

int64_t WeightFiles::bytes(const std::string& name) const {
  return file(name).bytes(name_there(name));
}

Tensor WeightFiles::float32(const std::string& name) const {
  return file(name).float32(name_there(name));
}

}  // namespace weft::model_file
