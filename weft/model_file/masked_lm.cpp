#include "weft/model_file/masked_lm.h"

#include <utility>

#include "weft/data/subwords/subword_tokeniser.h"
#include "weft/model_file/header.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

constexpr std::string_view kMaskText = "[MASK]";

// What the file says beside the options of the network.
struct MaskedLmMetadata {
  models::MaskedLmDims dims;
  int64_t max_length = 0;

  template <class V>
  void fields(V& v, const models::MaskedLmOptions&) {
    dims.fields(v);
    v("max-length", max_length, {.min = 0});
  }
};

}  // namespace

std::string MaskedLmSession::mask_text() const {
  const auto id = static_cast<int32_t>(model.dims.mask_id);
  return std::string(id < tokeniser->size() ? tokeniser->piece(id) : kMaskText);
}

MaskedLmSession MaskedLmSession::open(ContentsReader& file) {
  const auto header = read_header<MaskedLmSession, MaskedLmMetadata>(file);
  const models::MaskedLmDims& dims = header.metadata.dims;
  const auto make = [&] { return models::MaskedLm(header.options, dims); };
  MaskedLmSession session{.model = make_model(file, make),
                          .parameters = {},
                          .tokeniser = read_vocabulary(file, kSourceVocabulary),
                          .max_length = header.metadata.max_length};
  check_vocabulary_size(*session.tokeniser, dims.vocab, file.path());
  return session;
}

Contents MaskedLmSession::contents() const {
  return contents_of(*this, MaskedLmMetadata{model.dims, max_length},
                     {{kSourceVocabulary, tokeniser->serialise()}});
}

models::MaskedLmDims masked_lm_dims_of(const data::Tokeniser& tokeniser) {
  models::MaskedLmDims out{dims_of(tokeniser)};
  const auto* const subwords = dynamic_cast<const data::SubwordTokeniser*>(&tokeniser);
  out.mask_id = subwords != nullptr && subwords->mask_id() >= 0 ? subwords->mask_id() : out.vocab++;
  return out;
}

MaskedLmSession new_masked_lm(const models::MaskedLmOptions& options, data::TokeniserPtr tokeniser,
                              uint64_t seed) {
  models::MaskedLm model(options, masked_lm_dims_of(*tokeniser));
  MaskedLmSession session{
      .model = std::move(model), .parameters = {}, .tokeniser = std::move(tokeniser)};
  initialise(session, seed);
  return session;
}

}  // namespace weft::model_file
