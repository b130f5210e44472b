#include "weft/model_file/hugging_face/encoders/common.h"

#include <algorithm>

#include "weft/model_file/hugging_face/encoders/tokeniser.h"
#include "weft/model_file/hugging_face/labels.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

constexpr int64_t kSymbolsAround = 2;
constexpr const char* kProblem = "problem_type";
constexpr ValueName kProblems[] = {{"single_label_classification", "one"},
                                   {"multi_label_classification", "several"},
                                   {"regression", "numbers"}};

// Adds the tokeniser; the tokens of a text at most, special symbols included.
int64_t read_tokens_of(FolderReader& in, const EncoderDims& dims) {
  const int64_t length = read_encoder_tokeniser(in).max_length;
  return length > 0 ? std::min(length, dims.positions) : dims.positions;
}

int64_t positions_of(const Json& options) {
  return options.at("max-positions").get<int64_t>() - options.value("position-offset", int64_t{0});
}

// Whether a text has one label, several, or numbers; as Transformers says where the field is
// missing.
std::string_view labels_of_texts(Fields& config, int64_t labels) {
  if (!config.has(kProblem)) return labels == 1 ? "numbers" : "one";
  const Json& given = config.take(kProblem);
  for (const auto& [theirs, ours] : kProblems) {
    if (given == theirs) return ours;
  }
  config.refuse("field '{}' is not supported as {}; expected {}, {} or {}", kProblem,
                short_text(given), kProblems[0].first, kProblems[1].first, kProblems[2].first);
}

// Numbers are called 1, 2, ..., and come as the output layer computes them.
data::LabelSet as_numbers(int64_t count, FolderReader& in) {
  const std::string where = in.config.where();
  std::vector<std::string> names;
  for (int64_t i = 1; i <= count; ++i) names.push_back(std::to_string(i));
  const auto size = static_cast<size_t>(count);
  in.out.set("number-mean", std::vector<double>(size, 0), where);
  in.out.set("number-deviation", std::vector<double>(size, 1), where);
  return {names, where};
}

}  // namespace

EncoderDims dims_of(Fields& config, int64_t offset) {
  return {.features = config.take_integer_or("hidden_size", 768),
          .positions = config.take_integer_or("max_position_embeddings", 512) - offset};
}

void read_embedder(FolderReader& in, const EncoderDims& dims) {
  const EncoderTokeniser read = read_encoder_tokeniser(in);
  const int64_t length =
      read.max_length > 0 ? std::min(read.max_length, dims.positions) : dims.positions;
  read_modules(in, {.tokeniser = *read.tokeniser, .features = dims.features, .length = length});
}

void write_embedder(FolderWriter& out, bool has_types) {
  write_encoder_tokeniser(out, positions_of(out.options), has_types);
  write_modules(out);
}

void read_text_classifier(FolderReader& in, const EncoderDims& dims,
                          std::string_view head_activation, std::string_view pooling) {
  const std::string where = in.config.where();
  in.out.set("input", "text", where);
  in.out.set("pooling", pooling, where);
  in.out.set("head-activation", head_activation, where);
  in.out.set("max-length", std::max<int64_t>(1, read_tokens_of(in, dims) - kSymbolsAround), where);
  const data::LabelSet labels = take_labels(in.config);
  const std::string_view kind = labels_of_texts(in.config, labels.size());
  in.out.set("labels", kind, in.config.where_of(kProblem));
  in.out.set("label-count", labels.size(), in.config.where_of("id2label"));
  add_labels(kind == "numbers" ? as_numbers(labels.size(), in) : labels, in.out);
  for (const char* name : {"threshold", "temperature"}) {
    if (in.config.has(name)) in.out.set(name, in.config.take(name), in.config.where_of(name));
  }
}

void write_text_classifier(FolderWriter& out, bool has_types) {
  const Json& o = out.options;
  const int64_t length = o.at("max-length");
  write_encoder_tokeniser(out, length > 0 ? length + kSymbolsAround : positions_of(o), has_types);
  const auto found = std::ranges::find(kProblems, o.at("labels"), &ValueName::second);
  if (found == std::end(kProblems)) {
    fail<OptionError>("--labels",
                      "classifiers in Transformers support only one, several or "
                      "numbers, got {}",
                      short_text(o.at("labels")));
  }
  out.config[kProblem] = found->first;
  write_labels(out);
  if (o.at("threshold") != 0.5) out.config["threshold"] = o.at("threshold");
  if (o.at("temperature") != 1.0) out.config["temperature"] = o.at("temperature");
}

void read_word_tagger(FolderReader& in, const EncoderDims& dims) {
  read_tokens_of(in, dims);
  const data::LabelSet labels = take_labels(in.config);
  in.out.set("crf", "none", in.config.where());
  in.out.set("word-label-counts", {labels.size()}, in.config.where_of("id2label"));
  in.out.set("text-label-counts", Json::array(), in.config.where());
  add_labels(labels, in.out);
}

void write_word_tagger(FolderWriter& out, bool has_types) {
  if (out.options.at("word-label-counts").size() != 1 ||
      !out.options.at("text-label-counts").empty()) {
    fail<OptionError>("--to-hf",
                      "{} labels of a word and {} of a text; in Transformers expected "
                      "one of a word",
                      out.options.at("word-label-counts").size(),
                      out.options.at("text-label-counts").size());
  }
  write_encoder_tokeniser(out, positions_of(out.options), has_types);
  write_labels(out);
}

void read_masked_lm(FolderReader& in, const EncoderDims& dims, std::string_view head_activation) {
  const std::string where = in.config.where();
  const EncoderTokeniser read = read_encoder_tokeniser(in);
  const int32_t mask = read.tokeniser->mask_id();
  if (mask < 0) {
    fail<FormatError>(in.folder, "its tokeniser has no mask_token; expected one, such as [MASK]");
  }
  const int64_t length =
      read.max_length > 0 ? std::min(read.max_length, dims.positions) : dims.positions;
  in.out.set("mask-id", mask, where);
  in.out.set("max-length", std::max<int64_t>(1, length - kSymbolsAround), where);
  in.out.set("head-activation", head_activation, where);
}

void write_masked_lm(FolderWriter& out, bool has_types) {
  const Json& o = out.options;
  const data::TokeniserPtr tokeniser = read_vocabulary(out.contents, kSourceVocabulary);
  if (o.at("mask-id") >= tokeniser->size()) {
    fail<OptionError>("--to-hf", "the tokeniser has no mask symbol, as those of Transformers have");
  }
  const int64_t length = o.at("max-length");
  write_encoder_tokeniser(out, length > 0 ? length + kSymbolsAround : positions_of(o), has_types);
}

std::string_view take_activation(Fields& config, const char* field, const char* missing) {
  const Json given = config.take_or(field, missing);
  const auto found = std::ranges::find_if(kEncoderActivations,
                                          [&](const ValueName& one) { return given == one.first; });
  if (found != std::end(kEncoderActivations)) return found->second;
  config.refuse("field '{}' is not supported as {}; expected gelu, gelu_new, relu or silu", field,
                short_text(given));
}

void read_head_dropout(FolderReader& in, const char* option, const char* field, const char* other) {
  const Json missing = in.config.take_or(other, 0.1);
  in.out.set(option, in.config.take_or(field, missing), in.config.where_of(field));
}

void add_names(NameMap& map, const std::string& theirs, const std::string& ours) {
  for (const char* part : {".weight", ".bias"}) {
    map.mappings.push_back({.theirs = theirs + part, .ours = {ours + part}});
  }
}

void add_masked_head_names(NameMap& map, const MaskedHeadNames& names) {
  add_names(map, names.dense, "head.dense");
  add_names(map, names.norm, "head.norm");
  map.mappings.push_back({.theirs = names.bias, .ours = {"final_logits_bias"}});
  map.extras.push_back({.theirs = names.output + ".weight", .same_as = names.embeddings});
  const std::string bias = names.output + ".bias";
  if (bias != names.bias) map.extras.push_back({.theirs = bias, .same_as = names.bias});
}

namespace {

// A matrix of one row is one there, too.
void add_output_names(NameMap& map, const std::string& theirs, const std::string& ours,
                      const Shape& shape) {
  map.mappings.push_back(
      {.theirs = theirs + ".weight", .ours = {ours + ".weight"}, .shape = shape});
  map.mappings.push_back({.theirs = theirs + ".bias", .ours = {ours + ".bias"}});
}

}  // namespace

void add_classifier_names(NameMap& map, const std::string& theirs, const Json& options) {
  add_output_names(
      map, theirs, "classifier",
      {options.at("label-count").get<int64_t>(), options.at("dim-emb").get<int64_t>()});
}

void add_tagger_names(NameMap& map, const std::string& theirs, const Json& options) {
  add_output_names(
      map, theirs, "tagger.0.out_proj",
      {options.at("word-label-counts").at(0).get<int64_t>(), options.at("dim-emb").get<int64_t>()});
}

NameMap bert_encoder_names(const std::string& prefix, const Json& options) {
  NameMap out{.mappings = {{.theirs = prefix + "embeddings.token_type_embeddings.weight",
                            .ours = {"model.encoder.embed_token_types.weight"},
                            .shape = {options.value("token-types", int64_t{0}),
                                      options.at("dim-emb").get<int64_t>()}}}};
  const auto add = [&](const std::string& theirs, const std::string& ours) {
    add_names(out, prefix + theirs, "model.encoder." + ours);
  };
  add("embeddings.word_embeddings", "embed_tokens");
  add("embeddings.position_embeddings", "embed_positions");
  add("embeddings.LayerNorm", "layernorm_embedding");
  constexpr const char* kLayer[][2] = {
      {"attention.self.query", "self_attn.q_proj"},
      {"attention.self.key", "self_attn.k_proj"},
      {"attention.self.value", "self_attn.v_proj"},
      {"attention.output.dense", "self_attn.out_proj"},
      {"attention.output.LayerNorm", "self_attn_layer_norm"},
      {"intermediate.dense", "fc1"},
      {"output.dense", "fc2"},
      {"output.LayerNorm", "final_layer_norm"},
  };
  for (const auto& [theirs, ours] : kLayer) {
    add(std::string("encoder.layer.*.") + theirs, std::string("layers.*.") + ours);
  }
  // Numbers of positions, and heads that are not read: the first state after a layer, and masked
  // tokens.
  out.extras = {
      {prefix + "embeddings.position_ids"}, {prefix + "pooler.*"}, {"cls.*"}, {"lm_head.*"}};
  return out;
}

}  // namespace weft::model_file
