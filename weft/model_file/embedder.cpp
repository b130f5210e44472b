#include "weft/model_file/embedder.h"

#include <algorithm>
#include <utility>

#include "weft/core/error.h"
#include "weft/model_file/header.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

// What the file says beside the options of the network.
struct EmbedderMetadata {
  models::TextEncoderDims dims;
  int64_t max_length = 0;
  Prompts prompts;
  std::string similarity = "cosine";

  template <class V>
  void fields(V& v, const models::EmbedderOptions&) {
    dims.fields(v);
    v("max-length", max_length, {.min = 0});
    prompts.fields(v);
    v("similarity", similarity,
      {.help = "by which vectors are compared", .choices = kSimilarities});
  }
};

}  // namespace

const std::string* Prompts::find(std::string_view name) const {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? nullptr : &texts[static_cast<size_t>(found - names.begin())];
}

void Prompts::check(const std::string& path) const {
  if (names.size() != texts.size()) {
    fail<FormatError>(path, "prompt-names of {} names and prompt-texts of {}; expected as many",
                      names.size(), texts.size());
  }
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) fail<FormatError>(path, "prompt {} is there twice", quote(*twice));
  if (!chosen.empty() && find(chosen) == nullptr) {
    fail<FormatError>(path, "default-prompt {} is none of its prompts", quote(chosen));
  }
}

EmbedderSession EmbedderSession::open(ContentsReader& file) {
  const auto header = read_header<EmbedderSession, EmbedderMetadata>(file);
  const models::TextEncoderDims& dims = header.metadata.dims;
  const auto make = [&] { return models::Embedder(header.options, dims); };
  EmbedderSession session{.model = make_model(file, make),
                          .parameters = {},
                          .tokeniser = read_vocabulary(file, kSourceVocabulary),
                          .max_length = header.metadata.max_length,
                          .prompts = header.metadata.prompts,
                          .similarity = header.metadata.similarity};
  check_vocabulary_size(*session.tokeniser, dims.vocab, file.path());
  session.prompts.check(file.path());
  return session;
}

Contents EmbedderSession::contents() const {
  return contents_of(*this, EmbedderMetadata{model.dims, max_length, prompts, similarity},
                     {{kSourceVocabulary, tokeniser->serialise()}});
}

EmbedderSession new_embedder(const models::EmbedderOptions& options, data::TokeniserPtr tokeniser,
                             uint64_t seed) {
  models::Embedder model(options, dims_of(*tokeniser));
  EmbedderSession session{
      .model = std::move(model), .parameters = {}, .tokeniser = std::move(tokeniser)};
  initialise(session, seed);
  return session;
}

}  // namespace weft::model_file
