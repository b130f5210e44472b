#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/model_file/hugging_face/paths.h"
#include "weft/model_file/hugging_face/sentence_transformers/module_files.h"
#include "weft/model_file/hugging_face/sentence_transformers/modules.h"

namespace weft::model_file {
namespace {

constexpr int64_t kSymbolsOfText = 2;

void write_json(const std::string& folder, const char* name, const Json& value) {
  write_file(path_in(folder, name), value.dump(1) + "\n");
}

class ModuleWriter {
 public:
  explicit ModuleWriter(FolderWriter& out) : out_(out) { add("Transformer", ""); }

  // Adds a module in a folder of its own.
  void add(const std::string& type, const std::string& folder, const Json& settings) {
    const std::string path = path_in(out_.folder, folder.c_str());
    std::filesystem::create_directory(path);
    write_json(path, kModuleConfig, settings);
    add(type, folder);
  }
  // What type and folder of a module "Pooling" are called, with its number before it.
  std::string next_folder(const char* type) const {
    return fmt::format("{}_{}", list_.size(), type);
  }
  void write_list() const { write_json(out_.folder, kModulesFile, list_); }

 private:
  void add(const std::string& type, const std::string& folder) {
    const auto number = list_.size();
    list_.push_back({{"idx", number},
                     {"name", std::to_string(number)},
                     {"path", folder},
                     {"type", "sentence_transformers.models." + type}});
  }

  FolderWriter& out_;
  Json list_ = Json::array();
};

Json pooling_settings(const Json& options) {
  Json out = {{"word_embedding_dimension", options.at("dim-emb")}};
  bool is_known = false;
  for (const PoolingMode& mode : kPoolingModes) {
    const bool is_on = options.at("pooling") == mode.ours;
    is_known = is_known || is_on;
    out[mode.flag] = is_on;
  }
  if (is_known) return out;
  fail<OptionError>("--pooling", "{} is none of sentence-transformers",
                    short_text(options.at("pooling")));
}

void write_dense(const Json& options, ModuleWriter& modules) {
  int64_t features = options.at("dim-emb");
  const Json& activation = options.at("dense-activation");
  const auto found = std::ranges::find(kDenseActivations, activation, &ValueName::second);
  for (size_t i = 0; i < options.at("dense-sizes").size(); ++i) {
    const int64_t size = options.at("dense-sizes")[i];
    modules.add("Dense", dense_folder(i),
                {{"in_features", features},
                 {"out_features", size},
                 {"bias", options.at("dense-bias")},
                 {"activation_function", found->first}});
    features = size;
  }
}

void write_prompts(const FolderWriter& out) {
  const Json names = out.options.value("prompt-names", Json::array());
  const Json texts = out.options.value("prompt-texts", Json::array());
  Json prompts = Json::object();
  for (size_t i = 0; i < names.size(); ++i) prompts[names[i].get<std::string>()] = texts[i];
  const std::string chosen = out.options.value("default-prompt", "");
  write_json(out.folder, kPromptSettings,
             {{"prompts", prompts},
              {"default_prompt_name", chosen.empty() ? Json() : Json(chosen)},
              {"similarity_fn_name", out.options.at("similarity")}});
}

}  // namespace

void write_modules(FolderWriter& out) {
  ModuleWriter modules(out);
  modules.add("Pooling", modules.next_folder("Pooling"), pooling_settings(out.options));
  write_dense(out.options, modules);
  if (out.options.at("normalise")) {
    modules.add("Normalize", modules.next_folder("Normalize"), Json::object());
  }
  modules.write_list();
  const int64_t length = out.options.at("max-length");
  Json settings = {{"do_lower_case", false}};
  if (length > 0) settings["max_seq_length"] = length + kSymbolsOfText;
  write_json(out.folder, kTextSettings, settings);
  write_prompts(out);
}

void add_dense_names(const Json& options, NameMap& map) {
  int64_t features = options.at("dim-emb");
  for (size_t i = 0; i < options.at("dense-sizes").size(); ++i) {
    const int64_t size = options.at("dense-sizes")[i];
    const std::string theirs = dense_folder(i) + "/linear.", ours = fmt::format("dense.{}.", i);
    map.mappings.push_back(
        {.theirs = theirs + "weight", .ours = {ours + "weight"}, .shape = {size, features}});
    map.mappings.push_back({.theirs = theirs + "bias", .ours = {ours + "bias"}});
    features = size;
  }
}

}  // namespace weft::model_file
