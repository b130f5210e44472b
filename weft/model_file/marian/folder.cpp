#include "weft/model_file/marian/folder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>

#include "weft/core/files/atomic_file.h"
#include "weft/data/text/text_file.h"
#include "weft/formats/safetensors.h"
#include "weft/model_file/marian/config.h"
#include "weft/model_file/marian/tokenisers.h"

namespace weft::model_file {
namespace {

namespace fs = std::filesystem;
using formats::SafetensorsFile;

// Marian's position encoding has all sines before all cosines; Weft's interleaves them, as in the
// paper. Since the order of the features of the residual stream is arbitrary, the two models differ
// by a permutation: feature f in Weft is feature marian_feature(f, D) in Marian.
int64_t marian_feature(int64_t f, int64_t features) {
  return f % 2 == 0 ? f / 2 : (features + 1) / 2 + f / 2;
}

enum class Stream { kNone, kRows, kCols };

// The dimension of a parameter that belongs to the residual stream.
Stream stream_of(const std::string& name) {
  const auto ends = [&](std::string_view suffix) { return name.ends_with(suffix); };
  if (ends("out_proj.weight") || ends("fc2.weight")) return Stream::kRows;
  if (name == "final_logits_bias") return Stream::kNone;
  const bool is_inner =
      ends("q_proj.bias") || ends("k_proj.bias") || ends("v_proj.bias") || ends("fc1.bias");
  return is_inner ? Stream::kNone : Stream::kCols;
}

// Copies a parameter between the two orders of features.
void reorder(const std::string& name, const Tensor& from, const Tensor& to, bool to_marian) {
  const Stream stream = stream_of(name);
  for (int64_t row = 0; row < from.rows(); ++row) {
    for (int64_t col = 0; col < from.cols(); ++col) {
      const int64_t r = stream == Stream::kRows ? marian_feature(row, from.rows()) : row;
      const int64_t c = stream == Stream::kCols ? marian_feature(col, from.cols()) : col;
      const auto element = [](const Tensor& x, int64_t i, int64_t j) -> float& {
        return x.data<float>()[i * x.cols() + j];
      };
      if (to_marian) {
        element(to, r, c) = element(from, row, col);
      } else {
        element(to, row, col) = element(from, r, c);
      }
    }
  }
}

Tensor find(const SafetensorsFile& file, const std::string& name) {
  if (!file.has(name)) fail<FormatError>(file.path(), "no tensor '{}'", name);
  return file.tensor(name);
}

// The shape of a tensor of the file as [rows, cols]; a vector is one row.
Shape matrix_shape(const SafetensorsFile& file, const std::string& name) {
  const Tensor x = find(file, name);
  return x.shape().rank() == 1 ? Shape{1, x.size()} : x.shape();
}

// The tensor in F32, with this shape.
Tensor read_matrix(const SafetensorsFile& file, const std::string& name) {
  const Tensor x = find(file, name);
  if (x.dtype() != DType::kF32 && x.dtype() != DType::kBF16) {
    fail<FormatError>(file.path(), "tensor '{}' is {}; expected F32 or BF16", name,
                      name_of(x.dtype()));
  }
  return x.to(DType::kF32).reshape(matrix_shape(file, name));
}

void check_positions(const SafetensorsFile& file, const std::string& name, int64_t features) {
  const Tensor table = read_matrix(file, name);
  bool same = table.cols() == features;
  for (int64_t p = 0; same && p < table.rows(); ++p) {
    for (int64_t f = 0; same && f < features; ++f) {
      const auto pair = static_cast<double>(f - f % 2);
      const double angle =
          static_cast<double>(p) / std::pow(10000.0, pair / static_cast<double>(features));
      const double expected = f % 2 == 0 ? std::sin(angle) : std::cos(angle);
      const float got = table.data<float>()[p * features + marian_feature(f, features)];
      same = std::abs(got - expected) < 1e-4;
    }
  }
  if (!same) {
    fail<FormatError>(file.path(), "tensor '{}' is not Marian's sinusoidal encoding of {} features",
                      name, features);
  }
}

// A tensor stored in addition to the one it is tied to must equal it.
void check_tied(const SafetensorsFile& file, const std::string& name, const std::string& to) {
  const Tensor x = read_matrix(file, name), other = read_matrix(file, to);
  if (x.shape() != other.shape() ||
      std::memcmp(x.bytes(), other.bytes(), static_cast<size_t>(x.size()) * sizeof(float)) != 0) {
    fail<FormatError>(file.path(), "tensor '{}' differs from '{}', to which it is tied", name, to);
  }
}

void check_others(const SafetensorsFile& file, const models::Seq2Seq& model,
                  const std::set<std::string>& used) {
  const std::string shared = model.options.tied_embeddings_all
                                 ? "model.shared.weight"
                                 : "model.decoder.embed_tokens.weight";
  for (const std::string& name : file.names()) {
    if (used.contains(name)) continue;
    const bool is_table = name == "lm_head.weight" || name == "model.encoder.embed_tokens.weight" ||
                          name == "model.decoder.embed_tokens.weight";
    if (name.ends_with(".embed_positions.weight")) {
      check_positions(file, name, model.options.encoder.dim_emb);
    } else if (is_table) {
      check_tied(file, name, shared);
    } else {
      fail<FormatError>(file.path(), "tensor '{}' is not part of the model", name);
    }
  }
}

void read_weights(TranslatorSession& session, const SafetensorsFile& file) {
  const auto parameters = nn::parameters_of(session.model);
  // Check all shapes before allocating: the sizes come from the configuration.
  std::set<std::string> used;
  for (const auto& [name, p] : parameters) {
    const Shape shape = matrix_shape(file, name);
    if (shape != p->shape) {
      fail<FormatError>(file.path(), "tensor '{}' has the wrong shape; expected {}, got {}", name,
                        p->shape.text(), shape.text());
    }
    used.insert(name);
  }
  session.parameters = nn::bind(parameters);
  for (const auto& [name, p] : parameters) reorder(name, read_matrix(file, name), p->value, false);
  check_others(file, session.model, used);
}

std::vector<int32_t> read_ids(const SafetensorsFile& file, const std::string& name) {
  if (!file.has(name)) fail<FormatError>(file.path(), "no tensor '{}'", name);
  const Tensor x = file.tensor(name);
  if (x.dtype() != DType::kI32) {
    fail<FormatError>(file.path(), "tensor '{}' is {}; expected I32", name, name_of(x.dtype()));
  }
  return {x.data<int32_t>(), x.data<int32_t>() + x.size()};
}

// Packed sentences with validated ids and offsets.
data::Tokens read_sentences(const SafetensorsFile& file, const std::string& field, int64_t size) {
  data::Tokens out{.ids = read_ids(file, field + ".ids"),
                   .segments = {read_ids(file, field + ".offsets")}};
  const std::vector<int32_t>& offsets = out.segments.offsets;
  const bool in_range = std::ranges::all_of(out.ids, [&](int32_t i) { return i >= 0 && i < size; });
  if (!in_range || offsets.size() < 2 || offsets.front() != 0 ||
      offsets.back() != static_cast<int32_t>(out.ids.size()) ||
      std::ranges::adjacent_find(offsets, std::greater_equal()) != offsets.end()) {
    fail<FormatError>(file.path(),
                      "'{}.ids' and '{}.offsets' are not packed sentences of a vocabulary of {}",
                      field, field, size);
  }
  return out;
}

// Throws FileError unless the folder has a safetensors model; hints at how Transformers writes one.
void check_folder(const std::string& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    fail<FileError>(
        folder,
        "no such folder; hint: save a model of the Hugging Face Hub with "
        "Transformers: MarianMTModel.from_pretrained(name).save_pretrained(folder), and "
        "MarianTokenizer likewise");
  }
  if (fs::exists(path_in(folder, "model.safetensors"), ignored)) return;
  for (const char* other : {"pytorch_model.bin", "model.safetensors.index.json",
                            "pytorch_model.bin.index.json", "tf_model.h5"}) {
    if (!fs::exists(path_in(folder, other), ignored)) continue;
    fail<FileError>(path_in(folder, "model.safetensors"),
                    "no such file, and {} is not supported; hint: Transformers writes it with "
                    "MarianMTModel.from_pretrained(folder).save_pretrained(folder, "
                    "safe_serialization=True, max_shard_size='1TB')",
                    other);
  }
}

}  // namespace

TranslatorSession read_marian(const std::string& folder) {
  check_folder(folder);
  const std::string config_path = path_in(folder, "config.json");
  const MarianConfig config =
      parse_marian_config(data::read_bytes(config_path, Pipes::kRefused), config_path);
  const SafetensorsFile file(path_in(folder, "model.safetensors"));
  models::Seq2SeqOptions options = config.options;
  options.decoder.output_bias = file.has("final_logits_bias");
  double length_penalty = config.length_penalty;
  const std::string generation = path_in(folder, "generation_config.json");
  if (fs::exists(generation)) {
    length_penalty = length_penalty_in(data::read_bytes(generation, Pipes::kRefused), generation)
                         .value_or(length_penalty);
  }
  TranslatorSession session{models::Seq2Seq(options, config.sizes),
                            {},
                            read_marian_tokenisers(folder, config.sizes),
                            length_penalty};
  read_weights(session, file);
  return session;
}

void write_marian(const std::string& folder, TranslatorSession& session) {
  const std::string config =
      marian_config_text({session.model.options, session.model.sizes, session.normalize});
  make_folder(folder);
  formats::NamedTensors tensors;
  for (const auto& [name, p] : nn::parameters_of(session.model)) {
    const bool is_vector = p->shape.rows() == 1 && name != "final_logits_bias";
    const Tensor reordered = Tensor::empty(p->shape);
    reorder(name, p->value.clone(), reordered, true);
    tensors.emplace_back(name, is_vector ? reordered.reshape({p->shape.cols()}) : reordered);
  }
  formats::save_safetensors(path_in(folder, "model.safetensors"), tensors, {{"format", "pt"}});
  write_marian_tokenisers(folder, session);
  write_file(path_in(folder, "config.json"), config);
  const std::string generation =
      path_in(folder, "generation_config.json");  // it would override config.json
  std::error_code error;
  fs::remove(generation, error);
  if (error) fail<FileError>(generation, "cannot be removed: {}", error.message());
}

double largest_logit_difference(const TranslatorSession& session, const std::string& path) {
  const SafetensorsFile file(path);
  const models::Seq2Seq& model = session.model;
  const data::Tokens source = read_sentences(file, "source", model.sizes.source_vocab);
  const data::Tokens target = read_sentences(file, "target", model.sizes.target_vocab);
  const Tensor expected = read_matrix(file, "logits");
  const Shape shape{static_cast<int64_t>(target.ids.size()), model.sizes.target_vocab};
  if (expected.shape() != shape || source.examples() != target.examples()) {
    fail<FormatError>(path, "tensor 'logits' has the wrong shape; expected {}, got {}",
                      shape.text(), expected.shape().text());
  }
  nn::Context context;
  const Tensor states = model.states({.fields = {source, target}, .examples = {}}, context);
  const Tensor logits = model.decoder.logits(states, context);
  double largest = 0;
  for (int64_t i = 0; i < logits.size(); ++i) {
    const double difference =
        std::abs(double{logits.data<float>()[i]} - double{expected.data<float>()[i]});
    if (!(difference <= largest)) largest = difference;  // NaN stays
  }
  return largest;
}

}  // namespace weft::model_file
