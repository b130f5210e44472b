#include "weft/model_file/hugging_face/vit.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "weft/core/files/atomic_file.h"
#include "weft/data/text/text_file.h"
#include "weft/model_file/classifier.h"
#include "weft/model_file/hugging_face/labels.h"
#include "weft/model_file/hugging_face/paths.h"

namespace weft::model_file {
namespace {

constexpr const char* kProcessorFile = "preprocessor_config.json";
constexpr int64_t kMaxSide = 4096;  // of pictures

constexpr ValueName kVitActivations[] = {{"gelu", "gelu"},
                                         {"gelu_pytorch_tanh", "gelu-tanh"},
                                         {"gelu_new", "gelu-tanh"},
                                         {"relu", "relu"},
                                         {"silu", "silu"}};
constexpr ValueName kProblemTypes[] = {{"single_label_classification", "one"},
                                       {"multi_label_classification", "several"}};

constexpr FixedValue kVitFields[] = {{"is_encoder_decoder", "false"}};

// What the field `qkv_bias` says.
constexpr const char* kQkvBiases[] = {"attention-query-bias", "attention-key-bias",
                                      "attention-value-bias"};

// Missing fields have the values of ViTConfig.
constexpr FieldMapping kVitMappings[] = {
    {"hidden_size", "dim-emb", "768"},
    {"num_hidden_layers", "enc-depth", "12"},
    {"num_attention_heads", "transformer-heads", "12"},
    {"intermediate_size", "transformer-dim-ffn", "3072"},
    {.field = "hidden_act",
     .option = "transformer-ffn-activation",
     .missing = R"("gelu")",
     .values = kVitActivations},
    {"hidden_dropout_prob", "transformer-dropout", "0.0"},
    {"attention_probs_dropout_prob", "transformer-dropout-attention", "0.0"},
    {"layer_norm_eps", "norm-epsilon", "1e-12"},
    {"num_channels", "picture-channels", "3"},
    {.field = "problem_type",
     .option = "labels",
     .missing = R"("single_label_classification")",
     .values = kProblemTypes},
    {.field = "threshold", .option = "threshold", .missing = "0.5", .is_own = true},
    {.field = "temperature", .option = "temperature", .missing = "1.0", .is_own = true},
};

constexpr FixedValue kVitOptions[] = {
    {"input", R"("image")"},          {"patch-embedding", R"("linear")"},
    {"pooling", R"("first")"},        {"architecture", R"("transformer")"},
    {"transformer-norm", R"("pre")"}, {"norm-kind", R"("layer")"},
    {"position", R"("learned")"},     {"classifier-dropout", "0.0"},
};

// Initialisation, and heads for other tasks.
constexpr std::string_view kVitHarmless[] = {
    "_num_labels",    "num_labels", "label2id",           "initializer_range",
    "encoder_stride", "pooler_act", "pooler_output_size", "chunk_size_feed_forward",
};

// Of training; and how many rows of the table of positions are not used.
constexpr std::string_view kVitHarmlessOptions[] = {
    "classifier-dropout",
    "drop-path",
    "transformer-dropout-ffn",
    "image-size",
    "max-positions",
    "max-length",
    "word-labels",
    "text-labels",
    "text-field",
    "format",
    "label-separators",
};

// A size that is one number for both sides, or two: height, width.
std::array<int64_t, 2> sides_in(Fields& config, const char* field, int64_t missing) {
  if (!config.has(field)) return {missing, missing};
  const Json& value = config.take(field);
  const Json sides = value.is_array() ? value : Json{value, value};
  const auto fits = [](const Json& side) {
    return side.is_number_integer() && side.get<int64_t>() >= 1 && side.get<int64_t>() <= kMaxSide;
  };
  if (sides.size() != 2 || !std::ranges::all_of(sides, fits)) {
    config.refuse("field '{}': expected one or two whole numbers from 1 to {}, got {}", field,
                  kMaxSide, short_text(value));
  }
  return {sides[0].get<int64_t>(), sides[1].get<int64_t>()};
}

data::ImageShape read_shape(FolderReader& in) {
  const auto [height, width] = sides_in(in.config, "image_size", 224);
  const auto [patch, other] = sides_in(in.config, "patch_size", 16);
  if (patch != other) {
    in.config.refuse("field 'patch_size': expected a square, got {} by {}", patch, other);
  }
  const std::string where = in.config.where_of("image_size");
  in.out.set("picture-height", height, where);
  in.out.set("picture-width", width, where);
  in.out.set("patch-size", patch, in.config.where_of("patch_size"));
  in.out.set("max-positions", (height / patch) * (width / patch) + 1, where);
  const int64_t channels = in.config.take_integer_or("num_channels", 3);
  return {.height = height, .width = width, .channels = channels};
}

void read_labels(FolderReader& in) {
  const data::LabelSet labels = take_labels(in.config);
  in.out.set("label-count", labels.size(), in.config.where_of("id2label"));
  add_labels(labels, in.out);
}

// How pictures become numbers.
void read_processor(FolderReader& in, const data::ImageShape& shape) {
  const std::string path = path_in(in.folder, kProcessorFile);
  Fields fields(data::read_bytes(path, Pipes::kRefused), path);
  const auto is_on = [&](const char* field) { return fields.take_bool_or(field, true); };
  if (is_on("do_resize")) fields.require("resample", 2);  // bilinear
  const bool is_number = fields.has("size") && fields.take("size").is_number();
  fields.require("size", is_number && shape.height == shape.width
                             ? Json(shape.height)
                             : Json{{"height", shape.height}, {"width", shape.width}});
  fields.require("do_rescale", true);
  fields.require("rescale_factor", 1.0 / 255);
  fields.require("do_center_crop", false);
  fields.require("do_pad", false);
  const std::vector<double> zeros(static_cast<size_t>(shape.channels), 0);
  const std::vector<double> ones(static_cast<size_t>(shape.channels), 1);
  const bool is_normalised = is_on("do_normalize");
  in.out.set("channel-mean", is_normalised ? fields.take("image_mean") : Json(zeros),
             fields.where_of("image_mean"));
  in.out.set("channel-deviation", is_normalised ? fields.take("image_std") : Json(ones),
             fields.where_of("image_std"));
  constexpr std::string_view kHarmless[] = {"image_processor_type",
                                            "feature_extractor_type",
                                            "processor_class",
                                            "do_convert_rgb",
                                            "resample",
                                            "image_mean",
                                            "image_std",
                                            "data_format",
                                            "input_data_format",
                                            "default_to_square",
                                            "crop_size",
                                            "device",
                                            "return_tensors",
                                            "disable_grouping",
                                            "image_seq_length"};
  fields.ignore(kHarmless);
  fields.check_all_consumed();
}

void read_vit(FolderReader& in) {
  const data::ImageShape shape = read_shape(in);
  if (shape.channels != 1 && shape.channels != 3) {
    in.config.refuse("field 'num_channels': expected 1 or 3, got {}", shape.channels);
  }
  const bool has_biases = in.config.take_bool_or("qkv_bias", true);
  for (const char* option : kQkvBiases) {
    in.out.set(option, has_biases, in.config.where_of("qkv_bias"));
  }
  read_labels(in);
  read_processor(in, shape);
}

void write_vit(FolderWriter& out) {
  const int64_t height = out.options.at("picture-height"), width = out.options.at("picture-width");
  out.config["image_size"] = height == width ? Json(height) : Json{height, width};
  out.config["patch_size"] = out.options.at("patch-size");
  out.config["qkv_bias"] = out.options.value(kQkvBiases[0], true);
  write_labels(out);
  const Json processor = {{"image_processor_type", "ViTImageProcessor"},
                          {"do_resize", true},
                          {"size", {{"height", height}, {"width", width}}},
                          {"resample", 2},
                          {"do_rescale", true},
                          {"rescale_factor", 1.0 / 255},
                          {"do_normalize", true},
                          {"image_mean", out.options.at("channel-mean")},
                          {"image_std", out.options.at("channel-deviation")}};
  write_file(path_in(out.folder, kProcessorFile), processor.dump(1) + "\n");
}

NameMap vit_names(const Json& options) {
  const auto number = [&](const char* option) { return options.at(option).get<int64_t>(); };
  const int64_t D = number("dim-emb"), patch = number("patch-size");
  const data::ImageShape shape{.height = number("picture-height"),
                               .width = number("picture-width"),
                               .channels = number("picture-channels")};
  NameMap out{.mappings = {{.theirs = "vit.embeddings.cls_token",
                            .ours = {"model.encoder.class_token"},
                            .shape = {1, 1, D}},
                           {.theirs = "vit.embeddings.position_embeddings",
                            .ours = {"model.encoder.embed_positions.weight"},
                            .shape = {1, shape.patches(patch) + 1, D},
                            .is_cropped = true},
                           {.theirs = "vit.embeddings.patch_embeddings.projection.weight",
                            .ours = {"model.encoder.embed_vectors.weight"},
                            .shape = {D, shape.channels, patch, patch}},
                           {.theirs = "vit.embeddings.patch_embeddings.projection.bias",
                            .ours = {"model.encoder.embed_vectors.bias"}},
                           {.theirs = "vit.layernorm.*", .ours = {"model.encoder.layer_norm.*"}},
                           {.theirs = "classifier.weight",
                            .ours = {"classifier.weight"},
                            .shape = {number("label-count"), D}},
                           {.theirs = "classifier.bias", .ours = {"classifier.bias"}}},
              .extras = {{"vit.pooler.*"}}};
  constexpr const char* kLayer[][2] = {
      {"self_attn_layer_norm", "layernorm_before"},
      {"self_attn.q_proj", "attention.attention.query"},
      {"self_attn.k_proj", "attention.attention.key"},
      {"self_attn.v_proj", "attention.attention.value"},
      {"self_attn.out_proj", "attention.output.dense"},
      {"final_layer_norm", "layernorm_after"},
      {"fc1", "intermediate.dense"},
      {"fc2", "output.dense"},
  };
  for (const auto& [ours, theirs] : kLayer) {
    out.mappings.push_back({.theirs = fmt::format("vit.encoder.layer.*.{}.*", theirs),
                            .ours = {fmt::format("model.encoder.layers.*.{}.*", ours)}});
  }
  return out;
}

}  // namespace

const Architecture kVit = {.name = "ViT",
                           .model_type = "vit",
                           .model_class = "ViTForImageClassification",
                           .kind = ClassifierSession::kKind,
                           .input = models::ImageInput::kName,
                           .config = {.fixed_fields = kVitFields,
                                      .fields = kVitMappings,
                                      .fixed_options = kVitOptions,
                                      .harmless_fields = kVitHarmless,
                                      .harmless_options = kVitHarmlessOptions},
                           .names = vit_names,
                           .read = read_vit,
                           .write = write_vit};

}  // namespace weft::model_file
