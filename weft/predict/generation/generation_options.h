// The options of generation.
#ifndef WEFT_PREDICT_GENERATION_GENERATION_OPTIONS_H_
#define WEFT_PREDICT_GENERATION_GENERATION_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "weft/decode/request.h"
#include "weft/options/fields.h"

namespace weft::predict {

// The type of cached keys and values.
struct CachePrecision {
  std::string name = "auto";

  template <class V>
  void fields(V& v) {
    v("cache-precision", name,
      {.help = "type of cached keys and values; auto: bfloat16 unless weights are float32",
       .choices = "auto|float32|bfloat16|int8"});
  }
  std::optional<DType> type() const {
    if (name == "float32") return DType::kF32;
    if (name == "bfloat16") return DType::kBF16;
    if (name == "int8") return DType::kI8;
    return std::nullopt;
  }
};

struct GenerationOptions {
  std::optional<int64_t> max_length = {};
  bool context_shift = false;
  int64_t keep = 0;
  std::vector<std::string> stop = {};
  double temperature = 0.8;
  // The defaults of llama.cpp.
  std::vector<std::string> logit_bias = {};
  decode::TokenPenalties penalties = {};
  decode::DryOptions dry = {};
  decode::SamplingFilters filters = {decode::TopNSigma(), decode::TopK{40},   decode::Typical(),
                                     decode::TopP{0.95},  decode::MinP{0.05}, decode::Xtc()};
  int64_t seed = 1;
  int64_t samples = 1;
  int64_t beam_size = 1;
  int64_t no_repeat_ngram_size = 0;
  std::string banned_words = {};
  std::string constraints = {};
  bool word_scores = false;
  int64_t top_logprobs = 0;
  std::string draft = {};
  int64_t mini_batch = 16;
  CachePrecision cache = {};

  template <class V>
  void fields(V& v) {
    options::group(v, "Generation");
    v("max-length", max_length,
      {.help = "longest continuation, in tokens; auto: 256, or what the model's context leaves",
       .min = 1,
       .max = 1e6});
    v("context-shift", context_shift,
      {.help =
           "where prompt and continuation fill the model's context, drop half of them and go on: "
           "a continuation of any length takes bounded memory; a prompt that is longer than the "
           "context is an error all the same; with --interactive, drop the oldest messages "
           "instead"});
    v("keep", keep,
      {.help = "first tokens of a prompt that --context-shift never drops, beside a begin symbol; "
               "at most half of the context",
       .min = 0,
       .max = 1e6});
    v("stop", stop, {.help = "strings that end a continuation, which does not hold them"});
    v("temperature", temperature,
      {.help = "of the softmax that tokens are drawn from, after the filters; below 1 it is "
               "sharper; 0: the most probable token, without drawing",
       .min = 0,
       .max = 100});
    v("logit-bias", logit_bias,
      {.help = "TOKEN:NUMBER: add the number to the logit of a token, given by its id, its text or "
               "its spelling in the vocabulary; -inf: the token never follows"});
    penalties.fields(v);
    dry.fields(v);
    std::apply([&](auto&... filter) { (filter.fields(v), ...); }, filters);
    v("seed", seed, {.help = "a continuation depends on it and its prompt alone", .min = 0});
    v("samples", samples,
      {.help = "continuations drawn of each prompt, one a line", .min = 1, .max = 1024});
    v("beam-size", beam_size,
      {.help = "hypotheses of a search for the most probable continuation by the mean of its "
               "tokens; needs --temperature 0",
       .min = 1,
       .max = 1024,
       .letter = 'b'});
    v("no-repeat-ngram-size", no_repeat_ngram_size,
      {.help = "no sequence of this many tokens occurs twice in a continuation; 0: any may",
       .min = 0,
       .max = 1000});
    v("banned-words", banned_words,
      {.help =
           "file of words and phrases, one a line; no continuation has the tokens of one, as it "
           "is tokenised behind another word or at the beginning of a text; other tokens may "
           "make the same text",
       .reads = true});
    v("constraints", constraints,
      {.help = "file with a line for each prompt: words and phrases, separated by tabs, that its "
               "continuation has to hold (Post and Vilar 2018, arXiv 1804.06609); needs "
               "--temperature 0",
       .reads = true});
    v("word-scores", word_scores,
      {.help = "print log p of each token, and of the end symbol, after a continuation: `text ||| "
               "WordScores= -0.1 -0.2`"});
    v("top-logprobs", top_logprobs,
      {.help =
           "with --json, list this many of the most probable tokens, with log p of each, in the "
           "place of each token and of the end symbol",
       .min = 0,
       .max = 100});
    v("draft", draft,
      {.help = "draft tokens and verify several in one pass, which changes speed and never the "
               "text: prompt: what follows the same tokens earlier in prompt and continuation; or "
               "a smaller model with the same vocabulary: a file or folder as of --model",
       .reads = true});
    v("mini-batch", mini_batch,
      {.help = "prompts continued at a time; changes speed and memory, never the text",
       .min = 1,
       .max = 1e5});
    cache.fields(v);
  }

  bool is_greedy() const { return temperature == 0; }
  // Whether `draft` names a model.
  bool has_draft_model() const { return !draft.empty() && draft != "prompt"; }
  // None: a search for the most probable continuation.
  std::optional<decode::Sampling> sampling() const;
  // Throws OptionError for options that contradict each other.
  void validate() const;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_GENERATION_GENERATION_OPTIONS_H_
