#include "weft/infer/model_file.h"

#include <algorithm>

#include "weft/formats/options_json.h"
#include "weft/formats/safetensors.h"

namespace weft::infer {
namespace {

constexpr int64_t kFormatVersion = 1;
constexpr std::string_view kOptionsKey = "weft.options";
constexpr const char* kSourceVocabulary = "vocab.source";
constexpr const char* kTargetVocabulary = "vocab.target";

// The options in the file's metadata, one flat JSON object.
struct Header {
  int64_t format_version = kFormatVersion;
  std::string type = "seq2seq";
  models::Seq2SeqOptions options;
  models::Seq2SeqSizes sizes;

  template <class V>
  void fields(V& v) {
    v("format-version", format_version, {.min = 1});
    v("type", type, {.choices = "seq2seq"});
    options.fields(v);
    sizes.fields(v);
  }
};

Header read_header(const formats::SafetensorsFile& file, const std::string& path) {
  const auto found = file.metadata().find(std::string(kOptionsKey));
  if (found == file.metadata().end()) {
    fail<FormatError>(path, "no '{}' in its metadata; expected a model that Weft wrote",
                      kOptionsKey);
  }
  auto header = formats::options_from_json<Header>(found->second, path);
  if (header.format_version > kFormatVersion) {
    fail<FormatError>(path, "format version {}; this program reads up to {}", header.format_version,
                      kFormatVersion);
  }
  return header;
}

data::TokeniserPtr read_vocabulary(const formats::SafetensorsFile& file, const char* name,
                                   const std::string& path) {
  if (!file.has(name)) fail<FormatError>(path, "no tensor '{}', the vocabulary", name);
  const Tensor bytes = file.tensor(name);
  const auto* text = reinterpret_cast<const char*>(bytes.data<uint8_t>());
  return data::load_tokeniser({text, static_cast<size_t>(bytes.size())},
                              fmt::format("{}: {}", path, name));
}

// Checks names and shapes of all tensors, and binds the parameters to the file's own memory where
// they lie in it in visiting order, as in every file written by save_model.
Tensor bind_to_file(models::Seq2Seq& model, const formats::SafetensorsFile& file,
                    const std::string& path) {
  const auto parameters = nn::parameters_of(model);
  std::vector<Tensor> tensors;
  for (const auto& [name, p] : parameters) {
    if (!file.has(name)) fail<FormatError>(path, "no tensor '{}'", name);
    const Tensor x = file.tensor(name);
    if (x.shape() != p->shape || x.dtype() != DType::kF32) {
      fail<FormatError>(path, "tensor '{}' has the wrong shape; expected {} F32, got {} {}", name,
                        p->shape.text(), x.shape().text(), name_of(x.dtype()));
    }
    tensors.push_back(x);
  }
  for (const std::string& name : file.names()) {
    const bool known = name == kSourceVocabulary || name == kTargetVocabulary ||
                       std::any_of(parameters.begin(), parameters.end(),
                                   [&](const auto& p) { return p.name == name; });
    if (!known) fail<FormatError>(path, "tensor '{}' is not part of the model", name);
  }
  return nn::bind(parameters, tensors);
}

}  // namespace

Session load_model(const std::string& path) {
  const formats::SafetensorsFile file(path);
  const Header header = read_header(file, path);
  Session session{models::Seq2Seq(header.options, header.sizes), {}, {}};
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
  session.parameters = bind_to_file(session.model, file, path);
  return session;
}

void save_model(const std::string& path, models::Seq2Seq& model, const Tensor& weights,
                const std::vector<data::TokeniserPtr>& tokenisers) {
  formats::NamedTensors tensors;
  int64_t begin = 0;
  for (const auto& [name, p] : nn::parameters_of(model)) {
    const int64_t end = begin + p->shape.size();
    tensors.emplace_back(name, weights.col_range(begin, end).reshape(p->shape));
    begin = end;
  }
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
  formats::save_safetensors(
      path, tensors, {{std::string(kOptionsKey), formats::options_to_json(header)}}, aliases);
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
