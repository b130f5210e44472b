// The options of decoding.
#ifndef WEFT_DECODE_OPTIONS_H_
#define WEFT_DECODE_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/decode/alignment.h"
#include "weft/decode/search/sampler.h"
#include "weft/models/seq2seq/generation_options.h"
#include "weft/models/seq2seq/target_lengths.h"
#include "weft/options/fields.h"

namespace weft::decode {

struct ModelTraits;
struct Request;

struct DecodeOptions {
  int64_t beam_size = 5;
  std::optional<double> normalize = {};
  double length_penalty = 0;
  double coverage_penalty = 0;
  std::vector<double> weights = {};
  bool n_best = false;
  bool word_scores = false;
  AlignmentOptions alignment = {};
  int64_t min_length = 0;
  double repetition_penalty = 1;
  int64_t no_repeat_ngram_size = 0;
  int64_t iterations = 4;
  int64_t length_beam = 5;
  SamplingOptions sampling = {};
  bool force_decode = false;
  bool allow_unk = false;
  bool undo_bpe = false;
  std::optional<double> max_length_factor = {};
  int64_t max_output_length = 1000;
  int64_t max_length = 1000;
  int64_t mini_batch = 32;
  int64_t maxi_batch = 100;

  template <class V>
  void fields(V& v) {
    options::group(v, "Search");
    for_models<models::LeftToRight>(v, [&] { search_fields(v); });
    v("word-scores", word_scores,
      {.help = "print log p of each token, and of the end symbol or length where it is predicted, "
               "after a translation: `text ||| WordScores= -0.1 -0.2`"});
    for_models<models::LeftToRight>(v, [&] { token_fields(v); });
    for_models<models::MaskPredict>(v, [&] {
      v("iterations", iterations,
        {.help = "iterations of --generation mask-predict, each of which masks the least probable "
                 "tokens and predicts them again; 4 and 10 are usual",
         .min = 1,
         .max = 1000});
    });
    for_models<models::Parallel, models::MaskPredict>(v, [&] {
      options::belongs_to<models::LengthClassifier>(v, "length-from", nullptr, [&] {
        v("length-beam", length_beam,
          {.help = "length candidates for each translation; the one with the best mean "
                   "log-probability of its tokens and the length itself is taken",
           .min = 1,
           .max = 1000});
      });
    });
    for_models<models::LeftToRight>(v, [&] {
      sampling.fields(v);
      v("force-decode", force_decode,
        {.help = "a line is a source, or a source, a tab and a prefix: text that its translation "
                 "begins with"});
    });
    text_fields(v);
  }

  // Throws OptionError for options that contradict each other.
  void validate() const;

 private:
  // Options that are read only with models of these kinds of --generation.
  template <class... Kinds, class V, class F>
  static void for_models(V& v, F&& visit) {
    options::belongs_to<Kinds...>(v, "generation", nullptr, visit);
  }

  template <class V>
  void search_fields(V& v) {
    v("beam-size", beam_size,
      {.help = "hypotheses kept for each sentence; 1: greedy search, the most probable token at "
               "each step",
       .min = 1,
       .max = 1024,
       .letter = 'b',
       .alias = "beam"});
    v("normalize", normalize,
      {.help = "divide a hypothesis's log-probability by its length, end symbol included, to this "
               "power; 0: do not; auto: what the model's file says, 1 for all but some converted "
               "ones; 0 with --length-penalty",
       .min = 0,
       .max = 10,
       .letter = 'n',
       .alias = "lenpen",
       .implied = "1"});
    v("length-penalty", length_penalty,
      {.help = "divide it by ((5 + length) / 6) to this power instead (Wu et al. 2016, arXiv "
               "1609.08144); 0: do not",
       .min = 0,
       .max = 10});
    v("coverage-penalty", coverage_penalty,
      {.help = "add to a score this times the sum over source tokens, end symbol included, of log "
               "min(1, attention they got), heads' mean in the last layer (Wu et al. 2016); 0: do "
               "not",
       .min = 0,
       .max = 10});
    v("weights", weights,
      {.help = "weights of several models, one for each: the score of a token is the sum of weight "
               "times log p, not normalised; 1 each by default",
       .min = 1e-6,
       .max = 1e6});
    v("n-best", n_best,
      {.help = "print all hypotheses of the beam: `line ||| text ||| F0= log-probability ||| "
               "score`"});
  }

  template <class V>
  void token_fields(V& v) {
    alignment.fields(v,
                     "print after each translation ` ||| ` and which source tokens each of its "
                     "tokens attends to");
    v("min-length", min_length,
      {.help = "shortest translation, in tokens without the end symbol", .min = 0, .max = 1e6});
    v("repetition-penalty", repetition_penalty,
      {.help = "factor on log p of tokens that are in the hypothesis already; above 1 they become "
               "less probable (Keskar et al. 2019, arXiv 1909.05858)",
       .min = 0.01,
       .max = 100});
    v("no-repeat-ngram-size", no_repeat_ngram_size,
      {.help = "no sequence of this many tokens occurs twice in a translation; 0: any may",
       .min = 0,
       .max = 1000});
  }

  template <class V>
  void text_fields(V& v) {
    v("allow-unk", allow_unk, {.help = "allow the unknown symbol in a translation"});
    v("undo-bpe", undo_bpe,
      {.help = "join subwords marked with @@ in translations (Sennrich et al. 2016)"});
    v("max-length-factor", max_length_factor,
      {.help = "longest translation, as a multiple of the source's tokens, end symbols included; "
               "auto: 3, or more where targets of the training text are longer",
       .min = 0.01,
       .max = 1000});
    v("max-output-length", max_output_length,
      {.help = "longest translation, in tokens, end symbol included", .min = 1, .max = 1e6});
    v("max-length", max_length,
      {.help = "longest source, in tokens without the end symbol; a longer line is split at "
               "sentence ends, a longer sentence is cut off; both are reported",
       .min = 1,
       .max = 1e6});
    v("mini-batch", mini_batch,
      {.help = "sentences decoded at a time; changes speed and memory, never the text",
       .min = 1,
       .max = 1e5});
    v("maxi-batch", maxi_batch,
      {.help = "batches read together and sorted by length", .min = 1, .max = 1e6});
  }
};

// Throws OptionError for an option that is not at its default and that a model of this generation
// does not read: those of search and sampling are for left-to-right models, iterations and lengths
// for the others.
void check_model(const DecodeOptions& options, const models::GenerationKinds& generation);

// What a model has to do with the length of a translation.
struct LengthLimits {
  int64_t capacity = 0;  // the most tokens that it has positions for
  models::TargetLengths trained = {};
};

// The most tokens of a translation, end symbol included. Without a --max-length-factor the limit is
// 3 for each source token, or follows from the training text: its largest ratio of target to source
// tokens, and at most its longest target.
int64_t output_limit(const DecodeOptions& options, int64_t source_tokens,
                     const LengthLimits& model);

// Sets the fields of a request that the options determine: beam, penalties, lengths, processors,
// and sampling, whose random stream is a function of the source. Forbids the begin symbol. The
// request must already have its source, prefix and constraints, on which the length limit depends.
// A prefix beyond the model's capacity is cut off there.
void apply_options(const DecodeOptions& options, const ModelTraits& model, Request& request);

}  // namespace weft::decode

#endif  // WEFT_DECODE_OPTIONS_H_
