#include "weft/model_file/gguf/gguf_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

#include "weft/formats/gguf_values.h"
#include "weft/model_file/gguf/architectures.h"
#include "weft/model_file/gguf/gguf_contents.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {
namespace {

constexpr const char *kEmbeddings = "token_embd.weight", *kTokenTypes = "token_types.weight";

const GgufArchitecture& architecture_of(const GgufTensors& file) {
  const Json name = file.metadata().value("general.architecture", Json());
  std::vector<std::string_view> known;
  for (const GgufArchitecture* architecture : kGgufArchitectures) {
    if (name == architecture->name) return *architecture;
    known.push_back(architecture->name);
  }
  fail<FormatError>(file.path(), "general.architecture is not supported as {}; expected {}",
                    short_text(name), fmt::format("{}", fmt::join(known, ", ")));
}

}  // namespace

bool is_gguf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  file.read(magic, sizeof(magic));
  return std::string_view(magic, sizeof(magic)) == formats::kGgufMagic;
}

GgufModel::GgufModel(const std::string& path)
    : ForeignModel(ImportedContents(path, LanguageModelSession::kKind)),
      tensors_(path),
      architecture_(&architecture_of(tensors_)) {
  if (!tensors_.has(kEmbeddings)) fail<FormatError>(path, "no tensor '{}'", kEmbeddings);
  contents_ = read_gguf_contents(
      *architecture_,
      {.path = path,
       .metadata = tensors_.metadata(),
       .vocab = tensors_.shape(kEmbeddings).rows(),
       .token_types = tensors_.has(kTokenTypes) ? tensors_.shape(kTokenTypes).rows() : 0,
       .has_tensor = [&](const std::string& n) { return tensors_.has(n); },
       .tensor = [&](const std::string& n) { return tensors_.float32(n); }});
  tensors_.drop_metadata();
}

}  // namespace weft::model_file
