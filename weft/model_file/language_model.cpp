#include "weft/model_file/language_model.h"

#include "weft/core/error.h"
#include "weft/model_file/header.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

// What the file says beside the options of the network.
struct LanguageModelMetadata {
  models::LanguageModelDims dims;
  bool adds_begin = false;

  template <class V>
  void fields(V& v, const models::LanguageModelOptions&) {
    dims.fields(v);
    v("adds-begin", adds_begin, {.help = "the begin symbol stands before every text"});
  }
};

}  // namespace

LanguageModelSession LanguageModelSession::open(ContentsReader& file) {
  const auto header = read_header<LanguageModelSession, LanguageModelMetadata>(file);
  const models::LanguageModelDims& dims = header.metadata.dims;
  const auto make = [&] { return models::LanguageModel(header.options, dims); };
  LanguageModelSession session{make_model(file, make), {}, {}, header.metadata.adds_begin};
  session.tokeniser = read_vocabulary(file, kSourceVocabulary);
  check_vocabulary_size(*session.tokeniser, dims.vocab, file.path());
  session.chat_templates = read_chat_templates(file);
  return session;
}

Contents LanguageModelSession::contents() const {
  std::vector<Asset> assets = {{kSourceVocabulary, tokeniser->serialise()}};
  if (!chat_templates.empty()) assets.push_back({kChatTemplates, chat_templates.serialise()});
  return contents_of(*this, LanguageModelMetadata{model.dims, adds_begin}, std::move(assets));
}

void check_vocabulary(const LanguageModelSession& first, const LanguageModelSession& other,
                      std::string_view path) {
  const data::Tokeniser &a = *first.tokeniser, &b = *other.tokeniser;
  if (a.size() != b.size()) {
    fail<OptionError>(path, "its vocabulary has {} tokens; expected {}, as that of --model",
                      b.size(), a.size());
  }
  for (int32_t id = 0; id < a.size(); ++id) {
    if (a.piece(id) == b.piece(id)) continue;
    fail<OptionError>(path, "its token {} is '{}'; expected '{}', as in the vocabulary of --model",
                      id, b.piece(id), a.piece(id));
  }
}

LanguageModelSession new_language_model(const models::LanguageModelOptions& options,
                                        data::TokeniserPtr tokeniser, uint64_t seed) {
  const models::LanguageModelDims dims{.vocab = tokeniser->size(),
                                       .begin_id = tokeniser->begin_id(),
                                       .end_ids = {tokeniser->end_id()}};
  LanguageModelSession session{models::LanguageModel(options, dims), {}, std::move(tokeniser)};
  initialise(session, seed);
  return session;
}

}  // namespace weft::model_file
