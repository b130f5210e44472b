#include "weft/model_file/seq2seq.h"

#include "weft/core/error.h"
#include "weft/model_file/options_in_file.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

struct Seq2SeqHeader {
  int64_t format_version = kFormatVersion;
  std::string type{kSeq2Seq};
  models::Seq2SeqOptions options;
  models::Seq2SeqSizes sizes;
  double normalize = kDefaultNormalize;

  template <class V>
  void fields(V& v) {
    v("format-version", format_version, {.min = 1});
    v("type", type);
    InFile<V> in_file{v};
    options.fields(in_file);
    sizes.fields(v);
    v("normalize", normalize, {.min = 0, .max = 10});
  }
};

models::Seq2Seq make_seq2seq(const Seq2SeqHeader& header, const std::string& path) {
  try {
    return {header.options, header.sizes};
  } catch (const OptionError& error) {
    fail<FormatError>(path, "contradicting options: {}", error.what());
  }
}

// Everything but the parameters.
Session open_model(ModelFile& file) {
  const auto header = file.header<Seq2SeqHeader>(kSeq2Seq);
  Session session{make_seq2seq(header, file.path()), {}, {}, header.normalize};
  session.tokenisers.push_back(read_vocabulary(file, kSourceVocabulary));
  session.tokenisers.push_back(file.resolve_alias(kTargetVocabulary) == kSourceVocabulary
                                   ? session.tokenisers.front()
                                   : read_vocabulary(file, kTargetVocabulary));
  if (session.source().size() != header.sizes.source_vocab ||
      session.target().size() != header.sizes.target_vocab) {
    fail<FormatError>(file.path(),
                      "vocabularies of {} and {} entries; expected {} and {}, as in the options",
                      session.source().size(), session.target().size(), header.sizes.source_vocab,
                      header.sizes.target_vocab);
  }
  return session;
}

void save(const std::string& path, const Session& session, formats::NamedTensors tensors) {
  Seq2SeqHeader header;
  header.options = session.model.options;
  header.sizes = session.model.sizes;
  header.normalize = session.normalize;
  std::vector<Asset> assets = {{kSourceVocabulary, session.source().serialise()}};
  if (session.tokenisers.front() == session.tokenisers.back()) {
    assets.push_back({kTargetVocabulary, "", kSourceVocabulary});
  } else {
    assets.push_back({kTargetVocabulary, session.target().serialise()});
  }
  save(path, formats::options_to_json(header), std::move(tensors), assets);
}

}  // namespace

Session load_model(const std::string& path) {
  ModelFile file(path);
  Session session = open_model(file);
  session.parameters = file.bind(nn::parameters_of(session.model));
  return session;
}

Session load_packed(const std::string& path, Precision precision) {
  ModelFile file(path);
  Session session = open_model(file);
  file.pack(nn::parameters_of(session.model), precision);
  return session;
}

void check_vocabularies(const Session& first, const Session& other, std::string_view path,
                        std::string_view reference) {
  const auto check = [&](bool is_equal, std::string_view property) {
    if (!is_equal)
      fail<OptionError>(path, "{} from that of {}; expected the same", property, reference);
  };
  check(is_same(first.source(), other.source()), "its source vocabulary differs");
  check(is_same(first.target(), other.target()), "its target vocabulary differs");
  const models::Seq2SeqSizes &a = first.model.sizes, &b = other.model.sizes;
  check(a.target_vocab == b.target_vocab, "its number of output tokens differs");
  check(a.begin_id == b.begin_id && a.end_id == b.end_id, "its begin or end symbol differs");
}

void save_model(const std::string& path, const Session& session, const Tensor& weights) {
  models::Seq2Seq model = session.model;
  save(path, session, tensors_of(nn::parameters_of(model), weights));
}

void save_rounded(const std::string& path, const Session& session, Precision precision) {
  models::Seq2Seq model = session.model;
  save(path, session, rounded_tensors_of(nn::parameters_of(model), precision));
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

}  // namespace weft::model_file
