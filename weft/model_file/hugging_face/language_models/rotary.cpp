#include "weft/model_file/hugging_face/language_models/rotary.h"

#include <fmt/core.h>

#include <string_view>

namespace weft::model_file {
namespace {

constexpr FieldMapping kLinearFields[] = {{"factor", "rotary-factor"}};
constexpr FieldMapping kLlama3Fields[] = {
    {"factor", "rotary-factor"},
    {"original_max_position_embeddings", "rotary-trained-positions"},
    {"low_freq_factor", "rotary-low-factor"},
    {"high_freq_factor", "rotary-high-factor"}};
constexpr FieldMapping kYarnFields[] = {
    {"factor", "rotary-factor"},
    {"original_max_position_embeddings", "rotary-trained-positions"},
    {"beta_fast", "rotary-beta-fast", "32.0"},
    {"beta_slow", "rotary-beta-slow", "1.0"},
    {"attention_factor", "rotary-magnitude", "0.0"}};
constexpr FixedValue kYarnFixed[] = {{"truncate", "true"}};

// A scaling there and here.
struct ScalingMap {
  std::string_view theirs, ours;
  ConfigMap fields = {};
};
constexpr ScalingMap kScalings[] = {
    {"default", "none"},
    {"linear", "linear", {.fields = kLinearFields}},
    {"llama3", "llama3", {.fields = kLlama3Fields}},
    {"yarn", "yarn", {.fixed_fields = kYarnFixed, .fields = kYarnFields}},
};

// The values that options of a scaling have where a file leaves them out.
const Json& default_of(std::string_view option) {
  static const Json all = {{"rotary-factor", 2.0},     {"rotary-trained-positions", 8192},
                           {"rotary-low-factor", 1.0}, {"rotary-high-factor", 4.0},
                           {"rotary-beta-fast", 32.0}, {"rotary-beta-slow", 1.0},
                           {"rotary-magnitude", 0.0}};
  return all.at(std::string(option));
}

const ScalingMap& scaling_of(Fields& scaling) {
  // "type" in older files.
  const char* field = scaling.has("rope_type") ? "rope_type" : "type";
  const Json type = scaling.take_or(field, "default");
  if (scaling.has("type")) scaling.require("type", type);
  for (const ScalingMap& one : kScalings) {
    if (type == one.theirs) return one;
  }
  scaling.refuse("field '{}' is not supported as {}; expected default, linear, llama3 or yarn",
                 field, short_text(type));
}

}  // namespace

void read_rope(Fields& parameters, const Json& base, ImportedContents& out) {
  constexpr const char* kBase = "rope_theta";
  const ScalingMap& map = scaling_of(parameters);
  out.set("position", "rotary", parameters.where());
  out.set("rotary-base", parameters.take_or(kBase, base), parameters.where_of(kBase));
  out.set("rotary-scaling", map.ours, parameters.where());
  read_fields(map.fields, parameters, out);
  parameters.require("partial_rotary_factor", 1.0);
  parameters.check_all_consumed();
}

void read_rotary(FolderReader& in) {
  Fields& config = in.config;
  const Json base = config.take_or("rope_theta", 10000.0);
  const char* field = config.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
  const Json parameters = config.take_or(field, Json::object());
  Fields fields(parameters.dump(), config.where_of(field));
  read_rope(fields, base, in.out);
}

void read_two_rotations(FolderReader& in, const TwoBases& bases, bool has_local) {
  Fields& config = in.config;
  const Json base = config.take_or(bases.base, bases.missing_base);
  const Json local_base = config.take_or(bases.local_base, bases.missing_local_base);
  constexpr const char* kBoth = "rope_parameters";
  Json full = config.take_or("rope_scaling", Json::object()), local = Json::object();
  if (config.has(kBoth)) {
    Fields both(config.take(kBoth).dump(), config.where_of(kBoth));
    full = both.take("full_attention");
    local = both.take("sliding_attention");
    both.check_all_consumed();
  }
  Fields full_fields(full.dump(), config.where_of(kBoth));
  read_rope(full_fields, base, in.out);
  Fields local_fields(local.dump(), config.where_of(kBoth));
  local_fields.require("rope_type", "default");
  local_fields.require("partial_rotary_factor", 1.0);
  const Json given = local_fields.take_or("rope_theta", local_base);
  local_fields.check_all_consumed();
  if (has_local) in.out.set("rotary-local-base", given, config.where_of(kBoth));
}

void write_rotary(FolderWriter& out) {
  const std::string kind = out.options.value("rotary-scaling", "none");
  out.config["rope_theta"] = out.options.at("rotary-base");
  out.config["rope_scaling"] = nullptr;
  if (kind == "none") return;
  for (const ScalingMap& map : kScalings) {
    if (map.ours != kind) continue;
    Json scaling = {{"rope_type", map.theirs}};
    for (const FieldMapping& one : map.fields.fields) {
      const Json value = out.options.value(std::string(one.option), default_of(one.option));
      if (one.option != "rotary-magnitude" || value != 0.0) scaling[one.field] = value;
    }
    out.config["rope_scaling"] = scaling;
    return;
  }
  fail<OptionError>("--rotary-scaling",
                    "{} is not one of Transformers; expected none, linear, llama3 or yarn", kind);
}

}  // namespace weft::model_file
