// What is asked of an engine, and what it answers.
#ifndef WEFT_DECODE_REQUEST_H_
#define WEFT_DECODE_REQUEST_H_

#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

#include "weft/decode/search/beam.h"
#include "weft/decode/search/logits_processor.h"
#include "weft/decode/search/sampler.h"
#include "weft/decode/step_model.h"

namespace weft::decode {

// A source, and how its target is searched for. Each request has its own options.
struct Request {
  std::vector<int32_t> source;  // token ids, the end symbol included
  Tensor memory = {};  // encoder's states [S, C]: if known, or of a model that reads vectors alone
  BeamOptions beam = {};
  int64_t length_limit = 256;  // most target tokens, end symbol included
  int64_t min_length = 0;      // fewest, without it
  // Draws beam.size hypotheses at random, independently, in place of a search for the best.
  std::optional<Sampling> sampling = {};
  // What the decoder reads before the target, in place of the begin symbol.
  std::vector<int32_t> prompt = {};
  std::vector<int32_t> prefix = {};     // the target begins with these, even if they are forbidden
  std::vector<int32_t> end_ids = {};    // symbols that end the target beside the model's
  StopStrings stop = {};                // text that ends it
  std::vector<int32_t> forbidden = {};  // tokens that no hypothesis may hold
  std::vector<LogitsProcessor> processors = {};  // applied in this order
  // The only tokens that hypotheses may hold, and among which each has its probability: in rising
  // order, with the end symbol, the prefix and the phrases of `constraints`. Empty: all tokens.
  std::vector<int32_t> allowed = {};
  Constraints constraints = {};  // phrases to hold; not with sampling
  bool streams = false;          // report tokens as soon as they are decided; needs n_best 1
  bool reports_tree = false;     // report all that the search kept
  // Keeps the rows of the prompt, and those of the target if there is one hypothesis, after the
  // request is done: other prompts may share them until the request is cancelled.
  bool keeps_rows = false;
  // A text that the target may resemble, which NgramDrafter copies from.
  std::vector<int32_t> draft_text = {};

  int64_t source_rows() const { return memory ? memory.rows() : std::ssize(source); }
};

// The number of a request, counted from 0 in the order of submission.
using RequestId = int64_t;

// What a step found out about a request.
struct RequestOutput {
  RequestId id = 0;
  // Of a request that streams: the tokens that its result begins with.
  std::vector<int32_t> stable_prefix = {};
  bool is_finished = false;
  int64_t cached_tokens = 0;          // once finished: of its prompt, whose rows others had
  NBest hypotheses = {};              // once finished: n_best of them at most, the best first
  std::vector<SearchNode> tree = {};  // once finished, where the request reports it
  std::exception_ptr error = {};      // why it failed; then there are no hypotheses
};

// Throws OptionError, naming the field, for a request that the model cannot serve or that
// contradicts itself. Phrases that are over the length limit are no error: the result says whether
// it holds them (Hypothesis::is_complete).
void check_request(const Request& request, const ModelTraits& model);

// All symbols that end its target.
std::vector<int32_t> end_ids(const Request& request, const ModelTraits& model);

}  // namespace weft::decode

#endif  // WEFT_DECODE_REQUEST_H_
