#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "weft/data/text/text_file.h"
#include "weft/model_file/hugging_face/paths.h"
#include "weft/model_file/hugging_face/sentence_transformers/module_files.h"
#include "weft/model_file/hugging_face/sentence_transformers/modules.h"

namespace weft::model_file {
namespace {

constexpr size_t kMostModules = 64;
constexpr int64_t kSpecialSymbols = 2;  // of a text
constexpr const char* kVectors = "sentence_embedding";

std::string read_settings(const std::string& path) {
  return data::read_bytes(path, Pipes::kRefused);
}

struct ModuleEntry {
  std::string type;    // "Pooling"
  std::string folder;  // in that of the model; empty: the same
};

// "sentence_transformers.models.Pooling", or a longer path in later versions.
std::string type_of(const Json& module, const std::string& where) {
  constexpr std::string_view kPackage = "sentence_transformers.";
  const Json type = module.value("type", Json());
  const auto text = type.is_string() ? type.get<std::string>() : std::string();
  if (!text.starts_with(kPackage)) {
    fail<FormatError>(where, "module {} is not supported; expected one of sentence_transformers",
                      short_text(type));
  }
  return text.substr(text.rfind('.') + 1);
}

std::string folder_of(const Json& module, const std::string& where) {
  const Json path = module.value("path", Json(""));
  auto name = path.is_string() ? path.get<std::string>() : std::string("/");
  if (name.find_first_of(std::string_view("/\\\0", 3)) != name.npos || name == "." ||
      name == "..") {
    fail<FormatError>(where, "the path of a module is {}; expected the name of a folder",
                      short_text(path));
  }
  return name;
}

std::vector<ModuleEntry> list_of_modules(const std::string& path) {
  const Json all = Json::parse(read_settings(path), nullptr, false);
  if (!all.is_array() || all.empty() || all.size() > kMostModules ||
      !std::ranges::all_of(all, [](const Json& one) { return one.is_object(); })) {
    fail<FormatError>(path, "expected a list of 1 to {} objects", kMostModules);
  }
  std::vector<ModuleEntry> out;
  for (const Json& module : all) out.push_back({type_of(module, path), folder_of(module, path)});
  return out;
}

// The settings of a module; an object without fields where it has no file of them.
Fields settings_of(const FolderReader& in, const ModuleEntry& module) {
  const std::string path = path_in(path_in(in.folder, module.folder.c_str()), kModuleConfig);
  return {file_exists(path) ? read_settings(path) : "{}", path};
}

class ModuleReader {
 public:
  ModuleReader(FolderReader& in, int64_t features)
      : in_(in),
        path_(path_in(in.folder, kModulesFile)),
        modules_(list_of_modules(path_)),
        width_(features) {}

  void read() {
    in_.out.set("normalise", false, path_);
    in_.out.set("dense-sizes", Json::array(), path_);
    read_encoder();
    read_pooling();
    while (is_next("Dense")) read_dense();
    if (sizes_.empty() == false) in_.out.set("dense-sizes", sizes_, path_);
    if (is_next("Normalize")) {
      Fields settings = settings_of(in_, modules_[next_++]);
      require_vectors(settings);
      in_.out.set("normalise", true, settings.where());
    }
    if (next_ == modules_.size()) return;
    fail<FormatError>(path_,
                      "module {} ({}) is not supported; expected Transformer, Pooling, any number "
                      "of Dense, and Normalize at the end",
                      next_, quote(modules_[next_].type));
  }
  bool has_prompt_tokens() const { return has_prompt_tokens_; }

 private:
  // Whether the next module that does something is of this type.
  bool is_next(std::string_view type) {
    while (next_ < modules_.size() && modules_[next_].type == "Dropout") ++next_;
    return next_ < modules_.size() && modules_[next_].type == type;
  }
  const ModuleEntry& take(std::string_view type) {
    if (is_next(type)) return modules_[next_++];
    fail<FormatError>(path_, "module {} is {}; expected {}", next_,
                      next_ < modules_.size() ? quote(modules_[next_].type) : "missing", type);
  }

  void read_encoder() {
    const ModuleEntry& encoder = take("Transformer");
    if (encoder.folder.empty()) return;
    fail<FormatError>(path_,
                      "module 0 is in the folder {}; expected the files of Transformers beside {}",
                      quote(encoder.folder), kModulesFile);
  }

  void read_pooling() {
    Fields settings = settings_of(in_, take("Pooling"));
    const char* width =
        settings.has("embedding_dimension") ? "embedding_dimension" : "word_embedding_dimension";
    settings.require(width, width_);
    in_.out.set("pooling", pooling_of(settings), settings.where());
    has_prompt_tokens_ = settings.take_bool_or("include_prompt", true);
    settings.check_all_consumed();
  }

  std::string pooling_of(Fields& settings) const {
    constexpr const char* kMode = "pooling_mode";
    std::vector<std::string> modes;
    for (const PoolingMode& mode : kPoolingModes) {
      if (settings.take_bool_or(mode.flag, false)) modes.emplace_back(mode.theirs);
    }
    if (settings.has(kMode)) {
      const Json& given = settings.take(kMode);
      modes.clear();
      for (const Json& mode : given.is_array() ? given : Json::array({given})) {
        modes.push_back(mode.is_string() ? mode.get<std::string>() : short_text(mode));
      }
    }
    if (modes.empty()) modes.emplace_back("mean");
    if (modes.size() == 1) {
      for (const PoolingMode& mode : kPoolingModes) {
        if (modes.front() == mode.theirs) return std::string(mode.ours);
      }
    }
    std::vector<std::string_view> known;
    for (const PoolingMode& mode : kPoolingModes) known.push_back(mode.theirs);
    settings.refuse("pooling {} is not supported; expected one of {}",
                    fmt::format("{}", fmt::join(modes, " and ")),
                    fmt::format("{}", fmt::join(known, ", ")));
  }

  void require_vectors(Fields& settings) const {
    settings.require("module_input_name", kVectors);
    settings.require("module_output_name", kVectors);
    settings.check_all_consumed();
  }

  void read_dense() {
    const ModuleEntry& module = modules_[next_++];
    Fields settings = settings_of(in_, module);
    const int64_t before = sizes_.empty() ? width_ : sizes_.back();
    settings.require("in_features", before);
    sizes_.push_back(settings.take_integer("out_features"));
    set_same("dense-bias", settings.take_bool_or("bias", true), settings.where_of("bias"));
    set_same("dense-activation", activation_of(settings), settings.where_of("activation_function"));
    settings.require("use_residual", false);
    require_vectors(settings);
    in_.add_weights(module.folder, dense_folder(sizes_.size() - 1));
  }

  static std::string activation_of(Fields& settings) {
    constexpr const char* kField = "activation_function";
    const Json given = settings.take_or(kField, kDenseActivations[0].first);
    std::vector<std::string_view> known;
    for (const auto& [theirs, ours] : kDenseActivations) {
      if (given == theirs) return std::string(ours);
      known.push_back(theirs);
    }
    settings.refuse("field '{}' is not supported as {}; expected {}", kField, short_text(given),
                    fmt::format("{}", fmt::join(known, ", ")));
  }

  // An option that all layers have in common.
  void set_same(const char* option, const Json& value, const std::string& where) {
    const auto [known, is_new] = common_.try_emplace(option, value);
    if (!is_new && known->second != value) {
      fail<FormatError>(where, "differs from that of the layer before; expected {} in all",
                        short_text(known->second));
    }
    in_.out.set(option, value, where);
  }

  FolderReader& in_;
  std::string path_;
  std::vector<ModuleEntry> modules_;
  int64_t width_;
  size_t next_ = 0;
  std::vector<int64_t> sizes_;
  std::map<std::string, Json> common_;
  bool has_prompt_tokens_ = true;  // in the pooling
};

// The tokens of a text, special symbols included, that are read at most; 0: it does not say. The
// file is named after the first kinds of models.
int64_t read_length(const FolderReader& in, const data::Tokeniser& tokeniser) {
  constexpr const char* kNames[] = {
      kTextSettings, "sentence_roberta_config.json", "sentence_distilbert_config.json",
      "sentence_camembert_config.json", "sentence_xlm-roberta_config.json"};
  for (const char* name : kNames) {
    const std::string path = path_in(in.folder, name);
    if (!file_exists(path)) continue;
    Fields settings(read_settings(path), path);
    constexpr const char* kLength = "max_seq_length";
    const int64_t length = settings.take_integer_or(kLength, 0);
    if (settings.has(kLength) && length <= kSpecialSymbols) {
      settings.refuse("field '{}': expected more than the {} special symbols, got {}", kLength,
                      kSpecialSymbols, length);
    }
    constexpr const char* kLowerCase = "do_lower_case";
    if (settings.take_bool_or(kLowerCase, false) &&
        tokeniser.encode("A B C") != tokeniser.encode("a b c")) {
      settings.refuse("field '{}' is not supported as true with a tokeniser that has capitals",
                      kLowerCase);
    }
    settings.require("transformer_task", "feature-extraction");
    settings.require("module_output_name", "token_embeddings");
    settings.require(
        "modality_config",
        Json{{"text", {{"method", "forward"}, {"method_output_name", "last_hidden_state"}}}});
    for (const char* arguments : {"model_args", "tokenizer_args", "config_args", "model_kwargs",
                                  "processor_kwargs", "config_kwargs"}) {
      settings.require(arguments, Json::object());
    }
    settings.check_all_consumed();
    return length;
  }
  return 0;
}

// Prompts, and by which similarity vectors are compared.
void read_prompts(FolderReader& in, bool has_prompt_tokens) {
  const std::string path = path_in(in.folder, kPromptSettings);
  if (!file_exists(path)) return;
  Fields settings(read_settings(path), path);
  constexpr const char *kPrompts = "prompts", *kSimilarity = "similarity_fn_name";
  const Json prompts = settings.take_or(kPrompts, Json::object());
  Json names = Json::array(), texts = Json::array();
  bool has_text = false;
  for (const auto& [name, text] : prompts.items()) {
    if (!prompts.is_object() || !text.is_string()) {
      settings.refuse("field '{}': expected an object of texts, got {}", kPrompts,
                      short_text(prompts));
    }
    names.push_back(name);
    texts.push_back(text);
    has_text = has_text || !text.get_ref<const std::string&>().empty();
  }
  if (has_text && !has_prompt_tokens) {
    settings.refuse("field '{}' is not supported together with 'include_prompt' false", kPrompts);
  }
  in.out.set("prompt-names", names, settings.where_of(kPrompts));
  in.out.set("prompt-texts", texts, settings.where_of(kPrompts));
  in.out.set("default-prompt", settings.take_or("default_prompt_name", ""), settings.where());
  in.out.set("similarity", settings.take_or(kSimilarity, "cosine"), settings.where_of(kSimilarity));
  settings.require("model_type", "SentenceTransformer");
  constexpr std::string_view kHarmless[] = {"__version__"};
  settings.ignore(kHarmless);
  settings.check_all_consumed();
}

}  // namespace

void read_modules(FolderReader& in, const ModuleContext& encoder) {
  bool has_prompt_tokens = true;
  if (file_exists(path_in(in.folder, kModulesFile))) {
    ModuleReader reader(in, encoder.features);
    reader.read();
    has_prompt_tokens = reader.has_prompt_tokens();
  } else {
    in.out.set("pooling", "mean", in.config.where());
    in.out.set("normalise", false, in.config.where());
  }
  const int64_t given = read_length(in, encoder.tokeniser);
  const int64_t length = given > 0 ? given : encoder.length;
  if (length <= kSpecialSymbols) {
    in.config.refuse("texts of at most {} tokens; expected more than the {} special symbols",
                     length, kSpecialSymbols);
  }
  in.out.set("max-length", length - kSpecialSymbols, in.config.where());
  read_prompts(in, has_prompt_tokens);
}

}  // namespace weft::model_file
