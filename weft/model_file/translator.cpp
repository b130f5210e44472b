#include "weft/model_file/translator.h"

#include "weft/core/error.h"
#include "weft/model_file/header.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

// What the file says beside the options of the network.
struct TranslatorMetadata {
  models::Seq2SeqDims dims;
  double normalize = kDefaultNormalize;

  template <class V>
  void fields(V& v, const models::Seq2SeqOptions&) {
    dims.fields(v);
    v("normalize", normalize, {.min = 0, .max = 10});
  }
};

}  // namespace

TranslatorSession TranslatorSession::open(ContentsReader& file) {
  const auto header = read_header<TranslatorSession, TranslatorMetadata>(file);
  const auto make = [&] { return models::Seq2Seq(header.options, header.metadata.dims); };
  TranslatorSession session{make_model(file, make), {}, {}, header.metadata.normalize};
  session.tokenisers.push_back(read_vocabulary(file, kSourceVocabulary));
  session.tokenisers.push_back(file.resolve_alias(kTargetVocabulary) == kSourceVocabulary
                                   ? session.tokenisers.front()
                                   : read_vocabulary(file, kTargetVocabulary));
  if (session.source().size() != header.metadata.dims.source_vocab ||
      session.target().size() != header.metadata.dims.target_vocab) {
    fail<FormatError>(file.path(),
                      "vocabularies of {} and {} entries; expected {} and {}, as in the options",
                      session.source().size(), session.target().size(),
                      header.metadata.dims.source_vocab, header.metadata.dims.target_vocab);
  }
  return session;
}

Contents TranslatorSession::contents() const {
  std::vector<Asset> assets = {{kSourceVocabulary, source().serialise()}};
  if (tokenisers.front() == tokenisers.back()) {
    assets.push_back({kTargetVocabulary, "", kSourceVocabulary});
  } else {
    assets.push_back({kTargetVocabulary, target().serialise()});
  }
  return contents_of(*this, TranslatorMetadata{model.dims, normalize}, std::move(assets));
}

void check_vocabularies(const TranslatorSession& first, const TranslatorSession& other,
                        std::string_view path, std::string_view reference) {
  const auto check = [&](bool is_equal, std::string_view property) {
    if (!is_equal)
      fail<OptionError>(path, "{} from that of {}; expected the same", property, reference);
  };
  check(is_same(first.source(), other.source()), "its source vocabulary differs");
  check(is_same(first.target(), other.target()), "its target vocabulary differs");
  const models::Seq2SeqDims &a = first.model.dims, &b = other.model.dims;
  check(a.target_vocab == b.target_vocab, "its number of output tokens differs");
  check(a.begin_id == b.begin_id && a.end_id == b.end_id, "its begin or end symbol differs");
}

TranslatorSession new_translator(const models::Seq2SeqOptions& options,
                                 const std::vector<data::TokeniserPtr>& tokenisers, uint64_t seed) {
  const data::Tokeniser &source = *tokenisers.front(), &target = *tokenisers.back();
  const models::Seq2SeqDims dims{.source_vocab = source.size(),
                                 .target_vocab = target.size(),
                                 .begin_id = target.begin_id(),
                                 .end_id = target.end_id()};
  TranslatorSession session{models::Seq2Seq(options, dims), {}, tokenisers};
  initialise(session, seed);
  return session;
}

}  // namespace weft::model_file
