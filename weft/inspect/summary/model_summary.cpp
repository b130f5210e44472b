#include "weft/inspect/summary/model_summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "weft/core/error.h"
#include "weft/core/text/counted.h"
#include "weft/data/labels/label_set.h"
#include "weft/data/text/tokeniser.h"
#include "weft/model_file/language_model.h"
#include "weft/options/json.h"
#include "weft/train/checkpoint.h"
#include "weft/train/records/parts.h"

namespace weft::inspect {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kFloatBytes = 4, kBFloatBytes = 2;

std::vector<PartSummary> parts_of(const std::vector<TensorSummary>& tensors) {
  std::vector<PartSummary> out;
  for (const TensorSummary& tensor : tensors) {
    const std::string name = train::part_name(tensor.name);
    auto part = std::ranges::find(out, name, &PartSummary::name);
    if (part == out.end()) part = out.insert(out.end(), {.name = name});
    ++part->tensors;
    part->parameters += tensor.parameters;
  }
  return out;
}

// Null for a tensor that the file does not have.
const formats::SafetensorsEntry* find(const formats::SafetensorsFile& file, std::string name) {
  const auto alias = file.aliases().find(name);
  if (alias != file.aliases().end()) name = alias->second;
  const auto found = std::ranges::find(file.entries(), name, &formats::SafetensorsEntry::name);
  return found == file.entries().end() ? nullptr : &*found;
}

int64_t bytes_of(const formats::SafetensorsEntry& entry) {
  return static_cast<int64_t>(entry.end - entry.begin);
}

std::vector<int64_t> dims_of(const Shape& shape) {
  std::vector<int64_t> out;
  out.reserve(static_cast<size_t>(shape.rank()));
  for (int i = 0; i < shape.rank(); ++i) out.push_back(shape[i]);
  return out;
}

std::vector<TensorSummary> tensors_of(const formats::SafetensorsFile& file,
                                      const std::vector<nn::NamedParameter>& parameters) {
  const model_file::MatrixReader matrices(file);
  std::vector<TensorSummary> out;
  for (const auto& [name, parameter] : parameters) {
    const formats::SafetensorsEntry& entry = *find(file, name);
    const formats::SafetensorsEntry* scales = find(file, name + ".scales");
    out.push_back({.name = name,
                   .type = std::string(name_of(matrices.type(name))),
                   .shape = dims_of(matrices.shape(name)),
                   .parameters = parameter->shape.size(),
                   .bytes = bytes_of(entry) + (scales != nullptr ? bytes_of(*scales) : 0)});
  }
  return out;
}

std::vector<TensorSummary> tensors_of(const model_file::ForeignModel& file,
                                      const std::vector<nn::NamedParameter>& parameters) {
  const std::vector<model_file::TensorInFile> in_files = file.tensors_in_files(parameters);
  std::vector<TensorSummary> out;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Shape& shape = parameters[i].parameter->shape;
    out.push_back({.name = parameters[i].name,
                   .type = in_files[i].type,
                   .shape = dims_of(shape),
                   .parameters = shape.size(),
                   .bytes = in_files[i].bytes});
  }
  return out;
}

// With integers in blocks, or with a scale for each row.
MemorySummary memory_of(const std::vector<nn::NamedParameter>& parameters, bool uses_blocks) {
  int64_t matrices = 0, vectors = 0, int8 = 0;
  for (const auto& [name, parameter] : parameters) {
    const Shape& shape = parameter->shape;
    (parameter->is_matrix() ? matrices : vectors) += shape.size();
    if (!parameter->is_matrix()) continue;
    int8 += shape.rows() * (uses_blocks
                                ? kernels::block_row_bytes(kernels::BlockType::kQ8_0, shape.cols())
                                : shape.cols() + kFloatBytes);
  }
  constexpr int64_t kTrainingCopies = 4;  // weights, gradients, m, v
  return {.float32 = kFloatBytes * (matrices + vectors),
          .bfloat16 = kBFloatBytes * matrices + kFloatBytes * vectors,
          .int8 = int8 + kFloatBytes * vectors,
          .training = kTrainingCopies * kFloatBytes * (matrices + vectors)};
}

// Assets whose names begin with `prefix`, by name.
std::vector<const model_file::Asset*> assets_of(const model_file::Contents& contents,
                                                std::string_view prefix) {
  std::vector<const model_file::Asset*> out;
  for (const model_file::Asset& asset : contents.assets) {
    if (asset.name.starts_with(prefix)) out.push_back(&asset);
  }
  std::ranges::sort(out, {}, &model_file::Asset::name);
  return out;
}

const std::string& bytes_of(const model_file::Asset& asset, const model_file::Contents& contents) {
  if (asset.alias_of.empty()) return asset.bytes;
  return std::ranges::find(contents.assets, asset.alias_of, &model_file::Asset::name)->bytes;
}

std::vector<VocabularySummary> vocabularies_of(const std::string& path,
                                               const model_file::Contents& contents) {
  std::vector<VocabularySummary> out;
  for (const model_file::Asset* asset : assets_of(contents, "vocab.")) {
    const data::TokeniserPtr tokeniser =
        data::load_tokeniser(bytes_of(*asset, contents), fmt::format("{}: {}", path, asset->name));
    out.push_back({.name = asset->name,
                   .kind = std::string(tokeniser->kind()),
                   .entries = tokeniser->size(),
                   .same_as = asset->alias_of});
  }
  return out;
}

std::vector<LabelSummary> labels_of(const std::string& path, const model_file::Contents& contents) {
  std::vector<LabelSummary> out;
  for (const model_file::Asset* asset : assets_of(contents, "labels.")) {
    const auto labels =
        data::LabelSet::load(bytes_of(*asset, contents), fmt::format("{}: {}", path, asset->name));
    out.push_back({.name = asset->name, .labels = labels.names()});
  }
  return out;
}

// Of --valid-metrics in options as JSON.
std::string first_metric(const std::string& options) {
  const Json json = Json::parse(options, nullptr, false);
  const auto found = json.find("valid-metrics");
  const bool is_list = json.is_object() && found != json.end() && found->is_array();
  return is_list && !found->empty() && found->front().is_string() ? found->front() : "";
}

TrainingSummary read_training(const std::string& path) {
  const train::TrainingRecord record = train::read_training_record(path);
  const train::State& state = record.state;
  TrainingSummary out;
  out.path = path;
  out.updates = state.progress.updates;
  out.epochs = state.progress.epochs;
  out.targets = state.progress.targets;
  out.skipped = state.skipped;
  out.options = record.options;
  if (state.has_best) out.best = state.best, out.metric = first_metric(record.options);
  return out;
}

// Nothing for a model without a training state beside it.
std::optional<TrainingSummary> training_of(const std::string& model_path) {
  const std::string path = train::checkpoint_path(model_path);
  if (!std::filesystem::exists(path)) return std::nullopt;
  TrainingSummary faulty;
  faulty.path = path;
  try {
    return read_training(path);
  } catch (const FileError& error) {
    faulty.fault = error.what();
  } catch (const FormatError& error) {
    faulty.fault = error.what();
  }
  return faulty;
}

// What does not depend on the format.
ModelSummary summary_of(const std::string& path, const std::string& kind,
                        const model_file::Contents& contents,
                        const std::vector<nn::NamedParameter>& parameters) {
  ModelSummary out;
  out.path = path;
  out.kind = kind;
  out.vocabularies = vocabularies_of(path, contents);
  out.labels = labels_of(path, contents);
  out.memory = memory_of(parameters, kind == model_file::LanguageModelSession::kKind);
  return out;
}

}  // namespace

ModelSummary summarise(const std::string& path, const model_file::Contents& contents,
                       const std::vector<nn::NamedParameter>& parameters) {
  const model_file::ModelFile file(path);
  if (file.file().has_checksum()) file.file().check();
  ModelSummary out = summary_of(path, file.kind(), contents, parameters);
  out.format = "Weft";
  out.file_bytes = static_cast<int64_t>(std::filesystem::file_size(path));
  out.options = file.options();
  out.format_version = options::integer_in_json(out.options, "format-version").value_or(0);
  out.checksum = file.file().checksum();
  out.tensors = tensors_of(file.file(), parameters);
  out.parts = parts_of(out.tensors);
  out.training = training_of(path);
  return out;
}

ModelSummary summarise(const std::string& path, const model_file::ForeignModel& file,
                       const model_file::Contents& contents,
                       const std::vector<nn::NamedParameter>& parameters) {
  ModelSummary out = summary_of(path, file.kind(), contents, parameters);
  out.format = file.format();
  out.file_bytes = file.file_bytes();
  out.options = contents.options;
  out.format_version = model_file::kFormatVersion;
  out.tensors = tensors_of(file, parameters);
  out.parts = parts_of(out.tensors);
  return out;
}

int64_t ModelSummary::parameters() const {
  int64_t sum = 0;
  for (const TensorSummary& tensor : tensors) sum += tensor.parameters;
  return sum;
}

}  // namespace weft::inspect
