// Decoding of tokenised source sentences by encoder-decoder models.
#ifndef WEFT_DECODE_SENTENCES_H_
#define WEFT_DECODE_SENTENCES_H_

#include <span>
#include <vector>

#include "weft/data/batch.h"
#include "weft/decode/options.h"
#include "weft/decode/search/hypothesis.h"
#include "weft/decode/search/search.h"
#include "weft/decode/step_models.h"

namespace weft::decode {

// What a model has to do with the length of a translation.
struct LengthLimits {
  int64_t capacity = 0;  // the most tokens that it has positions for
  models::TargetLengths trained = {};
};

// The most tokens of a translation, end symbol included. Without a --max-length-factor they are 3
// for each source token, or as many as in the training text: by its largest ratio, and no more than
// its longest target has.
int64_t output_limit(const DecodeOptions& options, int64_t source_tokens,
                     const LengthLimits& model);

// Sets what the options say of a request: beam, penalties, lengths, sampling, whose stream is a
// function of the source, and processors, and forbids the begin symbol. The source, a prefix and
// constraints have to be there: they have a part in the length limit. A prefix beyond the model's
// capacity is cut off there.
void apply_options(const DecodeOptions& options, const ModelTraits& model, Request& request);

// Translations of `sources`, each with its end symbol, in their order: one hypothesis each, or with
// --n-best the whole beam, none with a forbidden token. They are sorted by length, and --mini-batch
// of them are active at a time. With --sampling each depends on its source and the seed alone.
// Several models search together by their --weights (ensemble.h). A non-autoregressive model reads
// the options that check_model() lets it. Throws as check_ensemble() and search() do.
std::vector<NBest> decode(const Models& models, const data::Tokens& sources,
                          const DecodeOptions& options, const std::vector<int32_t>& forbidden = {});

// The same of left-to-right models for requests that have their sources, and what else is asked of
// each: a prefix, forbidden and allowed tokens, banned phrases, constraints.
std::vector<NBest> decode(StepModel& model, std::vector<Request> requests,
                          const DecodeOptions& options,
                          const OnStablePrefix& on_stable_prefix = {});
std::vector<NBest> decode(const Models& models, std::vector<Request> requests,
                          const DecodeOptions& options,
                          const OnStablePrefix& on_stable_prefix = {});

}  // namespace weft::decode

#endif  // WEFT_DECODE_SENTENCES_H_
