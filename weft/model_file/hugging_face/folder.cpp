#include "weft/model_file/hugging_face/folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "weft/core/files/atomic_file.h"
#include "weft/data/text/text_file.h"
#include "weft/model_file/hugging_face/architectures.h"
#include "weft/model_file/hugging_face/paths.h"

namespace weft::model_file {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigFile = "config.json";

// Fields of every architecture that do not affect the outputs.
constexpr std::string_view kHarmlessFields[] = {
    "_name_or_path",
    "_attn_implementation_autoset",
    "transformers_version",
    "torch_dtype",
    "dtype",
    "use_cache",
    "use_bfloat16",
    "gradient_checkpointing",
    "return_dict",
    "output_attentions",
    "output_hidden_states",
    "tokenizer_class",
};

void check_folder(const std::string& folder) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return;
  fail<FileError>(folder,
                  "no such folder; hint: save a model of the Hugging Face Hub with Transformers: "
                  "AutoModel.from_pretrained(name).save_pretrained(folder), where AutoModel is the "
                  "class of the model, and the same of its tokeniser or image processor");
}

WeightFiles open_weights(const std::string& folder) {
  check_folder(folder);
  return WeightFiles(folder);
}

const Architecture& architecture_of(Fields& config) {
  const Json type = config.take("model_type");
  std::vector<std::string_view> known;
  for (const Architecture* architecture : kArchitectures) {
    if (type == architecture->model_type) return *architecture;
    known.push_back(architecture->model_type);
  }
  config.refuse("field 'model_type' is not supported as {}; expected {}", short_text(type),
                fmt::format("{}", fmt::join(known, ", ")));
}

void check_class(Fields& config, std::string_view expected) {
  constexpr const char* kField = "architectures";
  if (!config.has(kField)) return;
  const Json& classes = config.take(kField);
  const bool has_it = std::ranges::any_of(classes, [&](const Json& c) { return c == expected; });
  if (has_it) return;
  config.refuse("field '{}' is not supported as {}; expected [\"{}\"]", kField, short_text(classes),
                expected);
}

// Everything but the tensors.
void read_contents(const Architecture& architecture, FolderReader& in) {
  check_class(in.config, architecture.model_class);
  read_fields(architecture.config, in.config, in.out);
  architecture.read(in);
  in.config.ignore(kHarmlessFields);
  in.config.check_all_consumed();
}

// Options that have their default may be left out of files.
std::string expected_text(const UnsupportedOption& option) {
  return option.expected.is_null() ? "its default" : short_text(option.expected);
}

std::string_view dtype_name(FloatType type) {
  if (type == FloatType::kFloat16) return "float16";
  return type == FloatType::kBFloat16 ? "bfloat16" : "float32";
}

}  // namespace

HuggingFaceModel::HuggingFaceModel(const std::string& folder)
    : ForeignModel(ImportedContents(path_in(folder, kConfigFile), "")),
      weights_(open_weights(folder)) {
  const std::string path = path_in(folder, kConfigFile);
  Fields config(data::read_bytes(path, Pipes::kRefused), path);
  architecture_ = &architecture_of(config);
  contents_ = ImportedContents(path, architecture_->kind);
  FolderReader reader{.folder = folder,
                      .config = config,
                      .has_tensor = [&](const std::string& name) { return weights_.has(name); },
                      .out = contents_};
  read_contents(*architecture_, reader);
}

NameMap HuggingFaceModel::names() const {
  NameMap out = architecture_->names(Json::parse(contents_.all_options()));
  const std::string_view prefix = architecture_->optional_prefix;
  const auto has_prefix = [&](const std::string& name) { return name.starts_with(prefix); };
  if (!prefix.empty() && std::ranges::none_of(weights_.names(), has_prefix)) {
    out = without_prefix(std::move(out), prefix);
  }
  return out;
}

HuggingFaceExport::HuggingFaceExport(const std::string& folder, std::string_view kind,
                                     const Contents& contents)
    : folder_(folder),
      kind_(kind),
      options_(Json::parse(contents.options)),
      contents_(folder_.path(), contents) {}

void HuggingFaceExport::write_files(FloatType type, const Reopen& reopened) {
  std::optional<OptionError> first;
  for (const Architecture* architecture : kArchitectures) {
    if (architecture->kind != kind_) continue;
    try {
      return write_files(*architecture, type, reopened);
    } catch (const OptionError& error) {
      if (!first) first = error;
    }
  }
  if (first) throw OptionError(*first);
  fail<OptionError>("--to-hf", "a model of type '{}' is none of Transformers", kind_);
}

void HuggingFaceExport::write_files(const Architecture& architecture, FloatType type,
                                    const Reopen& reopened) {
  folder_.start();
  Json config = {{"architectures", {architecture.model_class}},
                 {"model_type", architecture.model_type},
                 {"dtype", dtype_name(type)}};
  config.update(fields_of(architecture.config, options_));
  FolderWriter writer{folder_.partial(), contents_, options_, config};
  architecture.write(writer);
  const std::string text = config.dump(1) + "\n", path = path_in(folder_.partial(), kConfigFile);
  write_file(path, text);

  Fields written(text, path);
  written.take("model_type");
  ImportedContents imported(path, architecture.kind);
  FolderReader reader{.folder = folder_.partial(),
                      .config = written,
                      .has_tensor = [](const std::string&) { return true; },
                      .out = imported};
  read_contents(architecture, reader);
  const Json options = Json::parse(reopened(imported).options);
  if (const auto found = unsupported_option(architecture.config, options_, options)) {
    const std::string name = found->name == "architecture" ? "type" : found->name;
    fail<OptionError>("--" + name, "{} models in Transformers support only {}, got {}",
                      architecture.name, expected_text(*found), short_text(found->value));
  }
  architecture_ = &architecture;
}

void HuggingFaceExport::write_tensors(FloatType type,
                                      const std::vector<nn::NamedParameter>& parameters) const {
  formats::NamedTensors tensors = foreign_tensors_of(architecture_->names(options_), parameters);
  if (type == FloatType::kBFloat16) {
    for (auto& [name, tensor] : tensors) tensor = tensor.to(DType::kBF16);
  }
  const std::string path = path_in(folder_.partial(), "model.safetensors");
  const std::map<std::string, std::string> metadata = {{"format", "pt"}};
  if (type == FloatType::kFloat16)
    return formats::save_float16_safetensors(path, tensors, metadata);
  formats::save_safetensors(path, tensors, metadata);
}

}  // namespace weft::model_file
