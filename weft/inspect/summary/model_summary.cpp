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

// Names of assets that begin with `prefix`, aliases too.
std::vector<std::string> assets_of(const formats::SafetensorsFile& file, std::string_view prefix) {
  std::vector<std::string> out;
  for (const std::string& name : file.names()) {
    if (name.starts_with(prefix)) out.push_back(name);
  }
  for (const auto& [alias, name] : file.aliases()) {
    if (alias.starts_with(prefix)) out.push_back(alias);
  }
  std::ranges::sort(out);
  return out;
}

std::vector<VocabularySummary> vocabularies_of(model_file::ModelFile& file) {
  std::vector<VocabularySummary> out;
  for (const std::string& name : assets_of(file.file(), "vocab.")) {
    const data::TokeniserPtr tokeniser = data::load_tokeniser(
        file.asset(name, "the vocabulary"), fmt::format("{}: {}", file.path(), name));
    const std::string original = file.resolve_alias(name);
    out.push_back({.name = name,
                   .kind = std::string(tokeniser->kind()),
                   .entries = tokeniser->size(),
                   .same_as = original == name ? "" : original});
  }
  return out;
}

std::vector<LabelSummary> labels_of(model_file::ModelFile& file) {
  std::vector<LabelSummary> out;
  for (const std::string& name : assets_of(file.file(), "labels.")) {
    const auto labels = data::LabelSet::load(file.asset(name, "the labels"),
                                             fmt::format("{}: {}", file.path(), name));
    out.push_back({.name = name, .labels = labels.names()});
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

}  // namespace

ModelSummary summarise(const std::string& path, const std::vector<nn::NamedParameter>& parameters) {
  model_file::ModelFile file(path);
  if (file.file().has_checksum()) file.file().check();
  ModelSummary out{
      .path = path,
      .kind = file.kind(),
      .file_bytes = static_cast<int64_t>(std::filesystem::file_size(path)),
      .format_version = options::integer_in_json(file.options(), "format-version").value_or(0),
      .checksum = file.file().checksum(),
      .options = file.options(),
      .tensors = tensors_of(file.file(), parameters),
      .parts = {},
      .vocabularies = vocabularies_of(file),
      .labels = labels_of(file),
      .training = training_of(path),
      .memory = memory_of(parameters, file.kind() == model_file::LanguageModelSession::kKind)};
  out.parts = parts_of(out.tensors);
  return out;
}

int64_t ModelSummary::parameters() const {
  int64_t sum = 0;
  for (const TensorSummary& tensor : tensors) sum += tensor.parameters;
  return sum;
}

}  // namespace weft::inspect
