#include "weft/model_file/hugging_face/folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "weft/core/files/atomic_file.h"
#include "weft/data/subwords/tokenizer_document.h"
#include "weft/data/text/text_file.h"
#include "weft/model_file/hugging_face/architectures.h"
#include "weft/model_file/hugging_face/paths.h"
#include "weft/model_file/text_assets.h"

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
  if (is_model_folder(folder)) return;
  fail<FileError>(folder,
                  "no such folder; hint: save a model of the Hugging Face Hub with Transformers: "
                  "AutoModel.from_pretrained(name).save_pretrained(folder), where AutoModel is the "
                  "class of the model, and the same of its tokeniser or image processor");
}

WeightFiles open_weights(const std::string& folder) {
  check_folder(folder);
  return WeightFiles(folder);
}

void add_once(std::vector<std::string_view>& names, std::string_view name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

std::vector<const Architecture*> architectures_of_type(Fields& config) {
  const Json type = config.take("model_type");
  std::vector<const Architecture*> out;
  std::vector<std::string_view> known;
  for (const Architecture* architecture : kArchitectures) {
    if (type == architecture->model_type) out.push_back(architecture);
    add_once(known, architecture->model_type);
  }
  if (!out.empty()) return out;
  config.refuse("field 'model_type' is not supported as {}; expected {}", short_text(type),
                fmt::format("{}", fmt::join(known, ", ")));
}

// The architectures that the folder's classes are: those with its heads first.
std::vector<const Architecture*> architectures_of_classes(
    const std::vector<const Architecture*>& all, const Json& classes) {
  const auto is_listed = [&](std::string_view name) {
    return std::ranges::any_of(classes, [&](const Json& one) { return one == name; });
  };
  std::vector<const Architecture*> out, without_head;
  for (const Architecture* architecture : all) {
    if (is_listed(architecture->model_class)) {
      out.push_back(architecture);
    } else if (std::ranges::any_of(architecture->larger_classes, is_listed)) {
      without_head.push_back(architecture);
    }
  }
  out.insert(out.end(), without_head.begin(), without_head.end());
  return out;
}

// Of a folder that does not say the class of its model it is the first of the type.
const Architecture& architecture_of(Fields& config, std::string_view kind) {
  constexpr const char* kField = "architectures";
  const std::vector<const Architecture*> all = architectures_of_type(config);
  if (!config.has(kField)) return *all.front();
  const Json& classes = config.take(kField);
  const std::vector<const Architecture*> fitting = architectures_of_classes(all, classes);
  const auto wanted = std::ranges::find(fitting, kind, &Architecture::kind);
  if (wanted != fitting.end()) return **wanted;
  if (!fitting.empty()) return *fitting.front();
  std::vector<std::string_view> known;
  for (const Architecture* architecture : all) {
    add_once(known, architecture->model_class);
    for (const std::string_view larger : architecture->larger_classes) add_once(known, larger);
  }
  config.refuse("field '{}' is not supported as {}; expected [\"{}\"]", kField, short_text(classes),
                fmt::format("{}", fmt::join(known, "\"] or [\"")));
}

// Everything but the tensors.
void read_contents(const Architecture& architecture, FolderReader& in) {
  read_fields(architecture.config, in.config, in.out);
  architecture.read(in);
  in.config.ignore(kHarmlessFields);
  in.config.check_all_consumed();
}

// Options that have their default may be left out of files.
// Options that have their default may be left out.
std::string option_text(const Json& value) {
  return value.is_null() ? "its default" : short_text(value);
}

// Throws FormatError for a folder of another kind.
const std::string& checked_folder(const std::string& folder) {
  std::error_code ignored;
  const fs::file_status config = fs::symlink_status(path_in(folder, kConfigFile), ignored);
  if (!is_model_folder(folder) || config.type() != fs::file_type::not_found) return folder;
  fail<FormatError>(folder,
                    "has no {}; expected a folder of Hugging Face Transformers, or a model file",
                    kConfigFile);
}

std::string_view dtype_name(FloatType type) {
  if (type == FloatType::kFloat16) return "float16";
  return type == FloatType::kBFloat16 ? "bfloat16" : "float32";
}

}  // namespace

bool is_model_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

HuggingFaceModel::HuggingFaceModel(const std::string& folder, std::string_view kind)
    : ForeignModel(ImportedContents(path_in(folder, kConfigFile), "")),
      weights_(open_weights(checked_folder(folder))) {
  const std::string path = path_in(folder, kConfigFile);
  Fields config(data::read_bytes(path, Pipes::kRefused), path);
  architecture_ = &architecture_of(config, kind);
  contents_ = ImportedContents(path, architecture_->kind);
  FolderReader reader{.folder = folder,
                      .config = config,
                      .has_tensor = [&](const std::string& name) { return weights_.has(name); },
                      .add_weights =
                          [&](const std::string& part, const std::string& prefix) {
                            weights_.add_folder(path_in(folder, part.c_str()), prefix + "/");
                          },
                      .out = contents_};
  read_contents(*architecture_, reader);
}

NameMap HuggingFaceModel::names() const {
  NameMap out = architecture_->names(Json::parse(contents_.all_options()));
  const std::vector<std::string> names = weights_.names();
  const auto some_start_with = [&](std::string_view prefix) {
    return std::ranges::any_of(names, [&](const auto& name) { return name.starts_with(prefix); });
  };
  const std::string_view optional = architecture_->optional_prefix,
                         base = architecture_->base_prefix;
  if (!optional.empty() && !some_start_with(optional)) {
    out = without_prefix(std::move(out), optional);
  }
  if (!base.empty() && some_start_with(base)) out = with_prefix(std::move(out), base);
  return with_names_of_norms(std::move(out), names);
}

HuggingFaceExport::HuggingFaceExport(const std::string& folder, std::string_view kind,
                                     const Contents& contents)
    : folder_(folder),
      kind_(kind),
      options_(Json::parse(contents.options)),
      contents_(folder_.path(), contents) {}

void HuggingFaceExport::write_files(FloatType type, const Reopen& reopened) {
  std::optional<OptionError> nearest;
  size_t fewest = 0;
  for (const Architecture* architecture : kArchitectures) {
    if (architecture->kind != kind_ || !may_be(*architecture)) continue;
    try {
      return write_files(*architecture, type, reopened);
    } catch (const OptionError& error) {
      if (nearest && unsupported_ >= fewest) continue;
      nearest.emplace(error);
      fewest = unsupported_;
    }
  }
  if (nearest) throw OptionError(*nearest);
  fail<OptionError>("--to-hf", "a model of type '{}' is none of Transformers", kind_);
}

bool HuggingFaceExport::may_be(const Architecture& architecture) {
  const std::string_view input = architecture.input, tokeniser = architecture.tokeniser;
  if (!input.empty() && options_.at("input") != input) return false;
  if (tokeniser.empty() && architecture.tokenizer_json == TokenizerJson::kAny) return true;
  const std::string asset = contents_.asset(kSourceVocabulary, "the vocabulary");
  const bool is_json = data::is_tokenizer_json(asset);
  const bool needs_json = architecture.tokenizer_json != TokenizerJson::kNever;
  if (is_json != needs_json) return false;
  if (tokeniser.empty()) return true;
  const auto document = data::parse_tokenizer_json(asset, contents_.path());
  const auto model = document.nodes.find("model");
  return model != document.nodes.end() && model->value("type", "") == tokeniser;
}

void HuggingFaceExport::write_files(const Architecture& architecture, FloatType type,
                                    const Reopen& reopened) {
  unsupported_ = 1;
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
  written.take("architectures");
  ImportedContents imported(path, architecture.kind);
  FolderReader reader{.folder = folder_.partial(),
                      .config = written,
                      .has_tensor = [](const std::string&) { return true; },
                      .add_weights = [](const std::string&, const std::string&) {},
                      .out = imported};
  read_contents(architecture, reader);
  const Json options = Json::parse(reopened(imported).options);
  const auto all = unsupported_options(architecture.config, options_, options);
  unsupported_ = all.size();
  if (!all.empty()) {
    const UnsupportedOption& found = all.front();
    const std::string name = found.name == "architecture" ? "type" : found.name;
    fail<OptionError>("--" + name, "{} models in Transformers support only {}, got {}",
                      architecture.name, option_text(found.expected), option_text(found.value));
  }
  architecture_ = &architecture;
}

void HuggingFaceExport::write_tensors(FloatType type,
                                      const std::vector<nn::NamedParameter>& parameters) const {
  // By the folder that the names say.
  std::map<std::string, formats::NamedTensors> parts = {{"", {}}};
  for (auto& [name, tensor] : foreign_tensors_of(architecture_->names(options_), parameters)) {
    const size_t name_begin = name.find('/') + 1;
    parts[name.substr(0, name_begin)].emplace_back(
        name.substr(name_begin), type == FloatType::kBFloat16 ? tensor.to(DType::kBF16) : tensor);
  }
  const std::map<std::string, std::string> metadata = {{"format", "pt"}};
  for (const auto& [folder, tensors] : parts) {
    const std::string path = path_in(folder_.partial(), (folder + "model.safetensors").c_str());
    if (type == FloatType::kFloat16) {
      formats::save_float16_safetensors(path, tensors, metadata);
    } else {
      formats::save_safetensors(path, tensors, metadata);
    }
  }
}

}  // namespace weft::model_file
