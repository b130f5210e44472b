// Decoding of tokenised source sentences by an encoder-decoder model.
#ifndef WEFT_DECODE_SENTENCES_H_
#define WEFT_DECODE_SENTENCES_H_

#include <span>
#include <vector>

#include "weft/data/batch.h"
#include "weft/decode/hypothesis.h"
#include "weft/decode/options.h"
#include "weft/decode/search.h"
#include "weft/models/seq2seq.h"

namespace weft::decode {

// The model's side of a search over some sources, each with its end symbol: the encoder once a
// sentence, when it enters, and the decoder step by step with its cache.
class Seq2SeqSteps {
 public:
  // All have to outlive it. At most `places` sentences are at work at a time. Of sentences that
  // have allowed tokens only those are scored; `rules` has one entry for each source, or none.
  Seq2SeqSteps(const models::Seq2Seq& model, const data::Tokens& sources, int64_t places,
               std::span<const SentenceRules> rules = {});

  Tensor operator()(const Step& step);  // [W, C]

 private:
  void enter(std::span<const Entered> entered);
  Tensor own_logits(const Tensor& states, std::span<const int32_t> counts) const;

  const models::Seq2Seq* model_;
  const data::Tokens* sources_;
  std::span<const SentenceRules> rules_;
  nn::KvCache cache_;
  std::vector<nn::Linear> projections_;  // of each place, where sentences have tokens of their own
};

// The most tokens of a translation, end symbol included, by its source's and the model's `room`.
int64_t output_limit(const DecodeOptions& options, int64_t source_tokens, int64_t room);

// What translations have to hold and may not hold.
struct Demands {
  std::vector<int32_t> forbidden = {};            // tokens
  std::vector<std::vector<int32_t>> banned = {};  // phrases, none of them empty
  std::vector<std::vector<int32_t>> prefixes =
      {};  // beginnings: one for each sentence, or none at all
  // The only tokens that a translation may hold, as SentenceRules::allowed: for each sentence, or
  // none at all.
  std::vector<std::vector<int32_t>> allowed = {};
  // What it has to hold: for each sentence, or none at all.
  std::vector<Constraints> constraints = {};
};

// The models of one search: one, or several of equal vocabularies, begin and end symbols.
using Models = std::span<const models::Seq2Seq* const>;

// Throws OptionError where there are weights, but not as many as models, and where one of several
// models is not left-to-right.
void check_together(const DecodeOptions& options, Models models);

// Translations of `sources`, each with its end symbol, in their order: one hypothesis a sentence,
// or with --n-best the whole beam. They are sorted by length and --mini-batch of them are at work
// at a time.
// With --sampling each depends on its source and the seed alone. Without --n-best, what is decided
// of each is told while it is searched for. Several models search together by their --weights
// (ensemble.h). A non-autoregressive model reads options as unread_options.h says. Throws
// as check_together() does.
std::vector<NBest> decode(Models models, const data::Tokens& sources, const DecodeOptions& options,
                          const Demands& demands = {}, const OnDecided& on_decided = {});
std::vector<NBest> decode(const models::Seq2Seq& model, const data::Tokens& sources,
                          const DecodeOptions& options, const Demands& demands = {},
                          const OnDecided& on_decided = {});

}  // namespace weft::decode

#endif  // WEFT_DECODE_SENTENCES_H_
