#include "weft/infer/model_file.h"

#include <atomic>
#include <cstring>
#include <set>

#include "weft/core/log.h"
#include "weft/formats/options_json.h"
#include "weft/formats/safetensors.h"

namespace weft::infer {
namespace {

constexpr int64_t kFormatVersion = 2;
constexpr int64_t kFirstWithChecksum = 2;
constexpr std::string_view kOptionsKey = "weft.options";
constexpr const char* kSourceVocabulary = "vocab.source";
constexpr const char* kTargetVocabulary = "vocab.target";

// The model's --type goes by another name in a file, where `type` tells what file it is.
template <class V>
struct InFile {
  V& v;
  template <class T>
  void operator()(std::string_view name, T& field, const Meta& meta = {}) {
    v(name == "type" ? "architecture" : name, field, meta);
  }
  void enter(const Scope& scope) { v.enter(scope); }
  void leave() { v.leave(); }
  void arrange(std::span<const std::string_view> names) { v.arrange(names); }
};

// The options in the file's metadata, one flat JSON object.
struct Header {
  int64_t format_version = kFormatVersion;
  std::string type = "seq2seq";
  models::Seq2SeqOptions options;
  models::Seq2SeqSizes sizes;
  double normalize = kDefaultNormalize;

  template <class V>
  void fields(V& v) {
    v("format-version", format_version, {.min = 1});
    v("type", type, {.choices = "seq2seq"});
    InFile<V> in_file{v};
    options.fields(in_file);
    sizes.fields(v);
    v("normalize", normalize, {.min = 0, .max = 10});
  }
};

Header read_header(const formats::SafetensorsFile& file, const std::string& path) {
  const auto found = file.metadata().find(std::string(kOptionsKey));
  if (found == file.metadata().end()) {
    fail<FormatError>(path, "no '{}' in its metadata; expected a model that Weft wrote",
                      kOptionsKey);
  }
  // First of all: a later version may have options that are unknown here.
  const int64_t version = formats::integer_in_json(found->second, "format-version").value_or(0);
  if (version > kFormatVersion) {
    fail<FormatError>(path, "format version {}; this program reads up to {}", version,
                      kFormatVersion);
  }
  if (version >= kFirstWithChecksum && !file.has_checksum()) {
    fail<FormatError>(path,
                      "no checksum; expected one in format version {}; hint: the file is damaged, "
                      "take another copy",
                      version);
  }
  return formats::options_from_json<Header>(found->second, path);
}

std::atomic<bool> checks_model_files{false};

void check_bytes(const formats::SafetensorsFile& file) {
  if (file.has_checksum()) {
    file.check();
  } else {
    log::warn("{} has no checksum: its bytes are not checked", file.path());
  }
}

DType type_of(Precision precision) {
  if (precision == Precision::kInt8) return DType::kI8;
  return precision == Precision::kBFloat16 ? DType::kBF16 : DType::kF32;
}

data::TokeniserPtr read_vocabulary(const formats::SafetensorsFile& file, const char* name,
                                   const std::string& path) {
  if (!file.has(name)) fail<FormatError>(path, "no tensor '{}', the vocabulary", name);
  const Tensor bytes = file.tensor(name);
  const auto* text = reinterpret_cast<const char*>(bytes.data<uint8_t>());
  return data::load_tokeniser({text, static_cast<size_t>(bytes.size())},
                              fmt::format("{}: {}", path, name));
}

std::string scales_of(const std::string& name) { return name + ".scales"; }

// Checks that the file has what the parameters need, and nothing else.
void check_tensors(const std::vector<nn::NamedParameter>& parameters,
                   const formats::SafetensorsFile& file) {
  std::set<std::string> known = {kSourceVocabulary, kTargetVocabulary};
  for (const auto& [name, p] : parameters) {
    if (!file.has(name)) fail<FormatError>(file.path(), "no tensor '{}'", name);
    const Tensor x = file.tensor(name);
    const bool may_be_rounded = p->is_matrix();
    const bool fits = x.dtype() == DType::kF32 ||
                      (may_be_rounded && (x.dtype() == DType::kBF16 || x.dtype() == DType::kI8));
    if (x.shape() != p->shape || !fits) {
      fail<FormatError>(file.path(), "tensor '{}' has the wrong shape; expected {} {}, got {} {}",
                        name, p->shape.text(), may_be_rounded ? "F32, BF16 or I8" : "F32",
                        x.shape().text(), name_of(x.dtype()));
    }
    known.insert(name);
    if (x.dtype() != DType::kI8) continue;
    const std::string scales = scales_of(name);
    if (!file.has(scales)) fail<FormatError>(file.path(), "no tensor '{}'", scales);
    const Tensor s = file.tensor(scales);
    if (s.shape() != Shape{p->shape.rows()} || s.dtype() != DType::kF32) {
      fail<FormatError>(file.path(),
                        "tensor '{}' has the wrong shape; expected [{}] F32, got {} {}", scales,
                        p->shape.rows(), s.shape().text(), name_of(s.dtype()));
    }
    known.insert(scales);
  }
  for (const std::string& name : file.names()) {
    if (!known.contains(name)) {
      fail<FormatError>(file.path(), "tensor '{}' is not part of the model", name);
    }
  }
}

Tensor scales_in(const formats::SafetensorsFile& file, const std::string& name) {
  return file.has(scales_of(name)) ? file.tensor(scales_of(name)) : Tensor();
}

// Binds the parameters to the file's own memory where they lie in it in F32 and visiting order, as
// in every file written by save_model.
Tensor bind_to_file(const std::vector<nn::NamedParameter>& parameters,
                    const formats::SafetensorsFile& file) {
  std::vector<Tensor> tensors;
  for (const auto& [name, p] : parameters) {
    const Tensor x = file.tensor(name);
    if (x.dtype() == DType::kI8) {
      tensors.push_back(dequantise_rows({x, scales_in(file, name)}));
    } else {
      tensors.push_back(x.dtype() == DType::kF32 ? x : x.to(DType::kF32));
    }
  }
  return nn::bind(parameters, tensors);
}

void pack_from_file(const std::vector<nn::NamedParameter>& parameters,
                    const formats::SafetensorsFile& file, Precision precision) {
  std::vector<nn::NamedParameter> vectors;
  std::vector<Tensor> values;
  for (const auto& [name, p] : parameters) {
    const Tensor x = file.tensor(name);
    if (!p->is_matrix()) {
      vectors.push_back({name, p});
      values.push_back(x);
      continue;
    }
    const DType type = precision == Precision::kStored ? x.dtype() : type_of(precision);
    p->packed = PackedWeight(x, type, scales_in(file, name));
    file.release(name);
  }
  // In memory of their own: the pages around them are the matrices'.
  nn::bind(vectors);
  for (size_t i = 0; i < vectors.size(); ++i) {
    const Tensor& to = vectors[i].parameter->value;
    std::memcpy(to.bytes(), values[i].bytes(), static_cast<size_t>(to.size()) * sizeof(float));
  }
}

models::Seq2Seq make_model(const Header& header, const std::string& path) {
  try {
    return {header.options, header.sizes};
  } catch (const OptionError& error) {
    fail<FormatError>(path, "its options contradict each other: {}", error.what());
  }
}

// All of a session but its parameters.
Session open_model(const formats::SafetensorsFile& file) {
  const std::string& path = file.path();
  if (checks_model_files.load()) check_bytes(file);
  const Header header = read_header(file, path);
  Session session{make_model(header, path), {}, {}, header.normalize};
  session.tokenisers.push_back(read_vocabulary(file, kSourceVocabulary, path));
  session.tokenisers.push_back(file.aliases().contains(kTargetVocabulary)
                                   ? session.tokenisers.front()
                                   : read_vocabulary(file, kTargetVocabulary, path));
  if (session.source().size() != header.sizes.source_vocab ||
      session.target().size() != header.sizes.target_vocab) {
    fail<FormatError>(path, "vocabularies of {} and {} entries; the options say {} and {}",
                      session.source().size(), session.target().size(), header.sizes.source_vocab,
                      header.sizes.target_vocab);
  }
  check_tensors(nn::parameters_of(session.model), file);
  return session;
}

// Writes the parameters' tensors with all that stands beside them in a model file.
void write_model(const std::string& path, formats::NamedTensors tensors,
                 const models::Seq2Seq& model, const std::vector<data::TokeniserPtr>& tokenisers,
                 double normalize) {
  std::map<std::string, std::string> aliases;
  const auto add_vocabulary = [&](const char* name, const data::Tokeniser& tokeniser) {
    const std::string bytes = tokeniser.serialise();
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    tensors.emplace_back(
        name, Tensor::from(std::span(data, bytes.size()), {static_cast<int64_t>(bytes.size())}));
  };
  add_vocabulary(kSourceVocabulary, *tokenisers.front());
  if (tokenisers.front() == tokenisers.back()) {
    aliases[kTargetVocabulary] = kSourceVocabulary;
  } else {
    add_vocabulary(kTargetVocabulary, *tokenisers.back());
  }
  Header header;
  header.options = model.options;
  header.sizes = model.sizes;
  header.normalize = normalize;
  formats::save_safetensors(path, tensors,
                            {{std::string(kOptionsKey), formats::options_to_json(header)}}, aliases,
                            formats::WithChecksum::kYes);
}

}  // namespace

Precision precision_named(std::string_view name) {
  if (name == "auto") return Precision::kStored;
  if (name == "float32") return Precision::kFloat32;
  if (name == "bfloat16") return Precision::kBFloat16;
  if (name == "int8") return Precision::kInt8;
  fail<OptionError>("precision", "expected auto, float32, bfloat16 or int8, got '{}'", name);
}

void check_model_files(bool checks) { checks_model_files.store(checks); }

Session load_model(const std::string& path) {
  const formats::SafetensorsFile file(path);
  Session session = open_model(file);
  session.parameters = bind_to_file(nn::parameters_of(session.model), file);
  return session;
}

Session load_packed(const std::string& path, Precision precision) {
  const formats::SafetensorsFile file(path);
  Session session = open_model(file);
  pack_from_file(nn::parameters_of(session.model), file, precision);
  return session;
}

void check_vocabularies(const Session& first, const Session& other, std::string_view path,
                        std::string_view whose) {
  const auto check = [&](bool fits, std::string_view what) {
    if (!fits) fail<OptionError>(path, "the {} of {}; expected the same", what, whose);
  };
  check(is_same(first.source(), other.source()), "source vocabulary is not that");
  check(is_same(first.target(), other.target()), "target vocabulary is not that");
  const models::Seq2SeqSizes &a = first.model.sizes, &b = other.model.sizes;
  check(a.target_vocab == b.target_vocab, "number of output tokens is not that");
  check(a.begin_id == b.begin_id && a.end_id == b.end_id, "begin and end symbols are not those");
}

void save_model(const std::string& path, models::Seq2Seq& model, const Tensor& weights,
                const std::vector<data::TokeniserPtr>& tokenisers, double normalize) {
  formats::NamedTensors tensors;
  int64_t begin = 0;
  for (const auto& [name, p] : nn::parameters_of(model)) {
    const int64_t end = begin + p->shape.size();
    tensors.emplace_back(name, weights.col_range(begin, end).reshape(p->shape));
    begin = end;
  }
  write_model(path, std::move(tensors), model, tokenisers, normalize);
}

void save_rounded(const std::string& path, const Session& session, Precision precision) {
  formats::NamedTensors tensors;
  models::Seq2Seq model = session.model;
  for (const auto& [name, p] : nn::parameters_of(model)) {
    if (!p->is_matrix() || precision == Precision::kFloat32) {
      tensors.emplace_back(name, p->value);
    } else if (precision == Precision::kInt8) {
      const QuantisedRows rows = quantise_rows(p->value);
      tensors.emplace_back(name, rows.integers);
      tensors.emplace_back(scales_of(name), rows.scales);
    } else {
      tensors.emplace_back(name, p->value.to(type_of(precision)));
    }
  }
  write_model(path, std::move(tensors), model, session.tokenisers, session.normalize);
}

Session new_model(const models::Seq2SeqOptions& options,
                  const std::vector<data::TokeniserPtr>& tokenisers, uint64_t seed) {
  const data::Tokeniser &source = *tokenisers.front(), &target = *tokenisers.back();
  const models::Seq2SeqSizes sizes{.source_vocab = source.size(),
                                   .target_vocab = target.size(),
                                   .begin_id = target.begin_id(),
                                   .end_id = target.end_id()};
  Session session{models::Seq2Seq(options, sizes), {}, tokenisers};
  const auto parameters = nn::parameters_of(session.model);
  session.parameters = nn::bind(parameters);
  nn::initialise(parameters, seed);
  return session;
}

}  // namespace weft::infer
