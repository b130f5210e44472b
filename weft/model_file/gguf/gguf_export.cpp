#include "weft/model_file/gguf/gguf_export.h"

#include <algorithm>
#include <optional>

#include "weft/data/subwords/gguf_fields.h"
#include "weft/formats/gguf.h"
#include "weft/formats/gguf_writer.h"
#include "weft/model_file/gguf/architectures.h"
#include "weft/model_file/gguf/gguf_contents.h"

namespace weft::model_file {
namespace {

using formats::GgufType;

constexpr const char *kInputTable = "token_embd.weight", *kOutputTable = "output.weight";

struct ModelToWrite {
  std::string_view kind;
  Json options;
  std::vector<nn::NamedParameter> parameters;
  Json tokeniser;  // its fields, and chat templates
  // The options of the model that other contents make.
  std::function<std::string(ContentsReader& reader)> reopened;
};

// A model in the terms of an architecture.
struct GgufPlan {
  const GgufArchitecture* architecture;
  Json options;  // of the model
  Json metadata;
  formats::NamedTensors tensors;  // beside those of the model
};

// The number of a file's type in general.file_type.
int file_type_of(GgufType type) {
  switch (type) {
    case GgufType::kF16: return 1;
    case GgufType::kQ4_0: return 2;
    case GgufType::kQ8_0: return 7;
    case GgufType::kBF16: return 32;
    default: return 0;
  }
}

Json metadata_of(const GgufArchitecture& architecture, const Json& config, GgufType type) {
  Json out = {{"general.architecture", architecture.name},
              {"general.type", "model"},
              {"general.file_type", file_type_of(type)}};
  if (type == GgufType::kQ8_0 || type == GgufType::kQ4_0) out["general.quantization_version"] = 2;
  for (const auto& [name, value] : config.items()) {
    out[std::string(architecture.name) + "." + name] = value;
  }
  return out;
}

// The options that a reader of a plan's file finds.
Json options_in(const GgufPlan& plan, const ModelToWrite& model, const std::string& path) {
  const NameMap names = plan.architecture->names(plan.options);
  const std::string header = formats::gguf_header(plan.metadata, {});
  const Json metadata = formats::parse_gguf(path, header).metadata;
  const auto extra = [&](const std::string& name) {
    return std::ranges::find(plan.tensors, name, &formats::NamedTensors::value_type::first);
  };
  ImportedContents read = read_gguf_contents(
      *plan.architecture, {.path = path,
                           .metadata = metadata,
                           .vocab = plan.options.at("vocab-size"),
                           .token_types = plan.options.value("token-types", int64_t{0}),
                           .has_tensor =
                               [&](const std::string& name) {
                                 return extra(name) != plan.tensors.end() ||
                                        has_tensor(names, model.parameters, name);
                               },
                           .tensor = [&](const std::string& name) { return extra(name)->second; }});
  return Json::parse(model.reopened(read));
}

// Throws OptionError for an option that the architecture does not have.
GgufPlan plan_of(const GgufArchitecture& architecture, const Json& options, GgufType type) {
  GgufPlan out{.architecture = &architecture, .options = options, .metadata = {}, .tensors = {}};
  Json config = fields_of(architecture.config, options);
  GgufWriter writer{.options = options, .config = config, .tensors = out.tensors};
  architecture.write(writer);
  config["vocab_size"] = options.at("vocab-size");
  out.metadata = metadata_of(architecture, config, type);
  return out;
}

// Files hold numbers in 32 bits.
Json rounded_options(Json options) {
  for (auto& [name, value] : options.items()) value = rounded_to_float32(value);
  return options;
}

// Throws OptionError for an option that a reader of the file does not find.
void check_options(const GgufPlan& plan, const ModelToWrite& model, const std::string& path) {
  Json read;
  try {
    read = options_in(plan, model, path);
  } catch (const FormatError& error) {
    fail<OptionError>("--to-gguf", "{} models in GGUF do not support this one: {}",
                      plan.architecture->name, error.what());
  }
  const auto found = unsupported_option(plan.architecture->config, rounded_options(plan.options),
                                        rounded_options(read));
  if (!found) return;
  fail<OptionError>("--" + found->name, "{} models in GGUF support only {}, got {}",
                    plan.architecture->name,
                    found->expected.is_null() ? "its default" : short_text(found->expected),
                    short_text(found->value));
}

Json tokeniser_fields(const data::Tokeniser& tokeniser, const data::TokenRoles& roles) {
  if (tokeniser.kind() != "tokenizer") {
    fail<OptionError>("--to-gguf", "a tokeniser of kind '{}'; expected one of a tokenizer.json",
                      tokeniser.kind());
  }
  return data::gguf_tokeniser_fields(data::parse_tokenizer_json(tokeniser.serialise(), "--to-gguf"),
                                     roles);
}

Json text_fields(const LanguageModelSession& session) {
  const models::LanguageModelDims& dims = session.model.dims;
  Json out = tokeniser_fields(*session.tokeniser, {.size = dims.vocab,
                                                   .begin_id = dims.begin_id,
                                                   .end_ids = dims.end_ids,
                                                   .adds_begin = session.adds_begin});
  for (const auto& [name, text] : session.chat_templates.by_name) {
    std::string field(kGgufChatTemplate);
    if (name != data::kDefaultChatTemplate) field.append(".").append(name);
    out[field] = text;
  }
  return out;
}

Json text_fields(const EmbedderSession& session) {
  const models::TextEncoderDims& dims = session.model.dims;
  const std::vector<int64_t> ends = {dims.end_id};
  return tokeniser_fields(*session.tokeniser,
                          {.size = dims.vocab,
                           .begin_id = dims.begin_id,
                           .end_ids = ends,
                           .is_encoder = true,
                           .token_types = session.model.options.encoder.embedding.token_types});
}

// The number of options that a model of the architecture always has and this one has not.
int64_t wrong_options(const GgufArchitecture& architecture, const Json& options) {
  return std::ranges::count_if(architecture.config.fixed_options, [&](const FixedValue& one) {
    const Json value = Json::parse(one.value);
    return options.value(std::string(one.name), value) != value;
  });
}

// The first that has all the model's options. Throws the error of the one that is nearest.
GgufPlan find_plan(const ModelToWrite& model, GgufType type, const std::string& path) {
  std::optional<OptionError> nearest;
  int64_t fewest = 0;
  for (const GgufArchitecture* architecture : kGgufArchitectures) {
    if (architecture->kind != model.kind) continue;
    try {
      GgufPlan out = plan_of(*architecture, model.options, type);
      out.metadata.update(model.tokeniser);
      check_options(out, model, path);
      return out;
    } catch (const OptionError& error) {
      const int64_t wrong = wrong_options(*architecture, model.options);
      if (nearest && wrong >= fewest) continue;
      nearest.emplace(error);
      fewest = wrong;
    }
  }
  throw OptionError(*nearest);
}

GgufType type_of(const std::string& name, const Tensor& values, GgufType wanted, bool is_tied) {
  constexpr const char* kAdded[] = {"position_embd.weight", "token_types.weight"};
  const bool is_matrix =
      values.shape().rank() > 1 && std::ranges::find(kAdded, name) == std::end(kAdded);
  if (!is_matrix) return GgufType::kF32;
  const bool is_output = name == kOutputTable || (is_tied && name == kInputTable);
  const GgufType type = is_output && wanted == GgufType::kQ4_0 ? GgufType::kQ8_0 : wanted;
  return values.shape().cols() % formats::layout_of(type).elements == 0 ? type : GgufType::kF16;
}

void write(const std::string& path, const ModelToWrite& model, GgufType type) {
  const GgufPlan plan = find_plan(model, type, path);
  formats::NamedTensors tensors =
      foreign_tensors_of(plan.architecture->names(plan.options), model.parameters);
  tensors.insert(tensors.end(), plan.tensors.begin(), plan.tensors.end());
  const bool is_tied = plan.options.value("tied-embeddings", false);
  std::vector<formats::GgufTensorToWrite> out;
  for (const auto& [name, values] : tensors) {
    out.push_back({name, values, type_of(name, values, type, is_tied)});
  }
  formats::save_gguf(path, plan.metadata, out);
}

template <class Session>
void write_session(const std::string& path, const Session& session, GgufType type) {
  auto model = session.model;  // parameters are visited in a mutable one
  write(path,
        {.kind = Session::kKind,
         .options = Json::parse(session.contents().options),
         .parameters = nn::parameters_of(model),
         .tokeniser = text_fields(session),
         .reopened = [](ContentsReader& in) { return Session::open(in).contents().options; }},
        type);
}

}  // namespace

void write_gguf(const std::string& path, const LanguageModelSession& session, GgufType type) {
  write_session(path, session, type);
}

void write_gguf(const std::string& path, const EmbedderSession& session, GgufType type) {
  write_session(path, session, type);
}

}  // namespace weft::model_file
