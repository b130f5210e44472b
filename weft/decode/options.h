// How translations are searched for.
#ifndef WEFT_DECODE_OPTIONS_H_
#define WEFT_DECODE_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/core/fields.h"

namespace weft::decode {

struct DecodeOptions {
  int64_t beam_size = 5;
  std::optional<double> normalize = {};
  double length_penalty = 0;
  double coverage_penalty = 0;
  std::vector<double> weights = {};
  bool n_best = false;
  bool word_scores = false;
  std::string alignment = {};
  std::string alignment_heads = "mean";
  int64_t min_length = 0;
  double repetition_penalty = 1;
  int64_t no_repeat_ngram_size = 0;
  int64_t iterations = 4;
  int64_t length_beam = 5;
  std::string sampling = {};
  int64_t sampling_topk = 10;
  double sampling_topp = 0.9;
  double temperature = 1;
  int64_t seed = 1;
  bool force_decode = false;
  bool allow_unk = false;
  bool undo_bpe = false;
  double max_length_factor = 3;
  int64_t max_output_length = 1000;
  int64_t max_length = 1000;
  int64_t mini_batch = 32;
  int64_t maxi_batch = 100;

  template <class V>
  void fields(V& v) {
    search_fields(v);
    sampling_fields(v);
    text_fields(v);
  }

  // Throws OptionError for options that contradict each other.
  void validate() const;

 private:
  template <class V>
  void search_fields(V& v) {
    group(v, "Search");
    v("beam-size", beam_size,
      {.help = "hypotheses kept for a sentence; 1: the most probable token is taken at each step",
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
      {.help = "how much each of several models counts, one number each: the score of a token is "
               "the sum of weight times log p, as it is; 1 each unless given",
       .min = 1e-6,
       .max = 1e6});
    v("n-best", n_best,
      {.help = "print all hypotheses of the beam: `line ||| text ||| F0= log-probability ||| "
               "score`"});
    v("word-scores", word_scores,
      {.help = "print log p of each token, and of the end symbol or length where it is predicted, "
               "behind a translation: `text ||| WordScores= -0.1 -0.2`"});
    v("alignment", alignment,
      {.help =
           "print ` ||| ` and which source tokens each token of a translation attends to behind "
           "it: all weights, end symbols included (soft: `0.9,0.1 0.3,0.7`), or the greatest "
           "(hard: `0-0 1-1`, source and target)",
       .choices = "soft|hard"});
    v("alignment-heads", alignment_heads,
      {.help = "decoder heads whose mean --alignment prints: LAYER.HEAD, counted from 1, several "
               "with commas between them; mean: all of the last layer"});
    v("min-length", min_length,
      {.help = "shortest translation, in tokens without the end symbol", .min = 0, .max = 1e6});
    v("repetition-penalty", repetition_penalty,
      {.help = "factor on log p of tokens that the hypothesis holds already; above 1 they become "
               "less probable (Keskar et al. 2019, arXiv 1909.05858)",
       .min = 0.01,
       .max = 100});
    v("no-repeat-ngram-size", no_repeat_ngram_size,
      {.help = "no sequence of so many tokens stands twice in a translation; 0: any may",
       .min = 0,
       .max = 1000});
    v("iterations", iterations,
      {.help = "rounds of a model of --generation mask-predict, each of which predicts the least "
               "certain tokens again; 4 and 10 are usual",
       .min = 1,
       .max = 1000});
    v("length-beam", length_beam,
      {.help = "lengths that a model which predicts them tries for each translation; the one with "
               "the best mean log-probability of its tokens and the length itself wins",
       .min = 1,
       .max = 1000});
  }

  template <class V>
  void sampling_fields(V& v) {
    v("sampling", sampling,
      {.help = "draw translations at random in place of searching for the best: from all tokens "
               "(temperature), the most probable (topk) or the nucleus (topp); one a sentence, or "
               "--beam-size of them with --n-best",
       .choices = "temperature|topk|topp"});
    v("sampling-topk", sampling_topk,
      {.help = "tokens that --sampling topk draws from", .min = 1, .max = 1e6});
    v("sampling-topp", sampling_topp,
      {.help = "mass of the nucleus of --sampling topp (Holtzman et al. 2020, arXiv 1904.09751)",
       .min = 0,
       .max = 1});
    v("temperature", temperature,
      {.help = "of the softmax that --sampling draws from; below 1 it is sharper",
       .min = 0.01,
       .max = 100});
    v("seed", seed,
      {.help = "of --sampling; with it a line's translation depends on the line alone", .min = 0});
  }

  template <class V>
  void text_fields(V& v) {
    v("force-decode", force_decode,
      {.help =
           "a line is a source, a tab, and text that its translation begins with, or a source"});
    v("allow-unk", allow_unk, {.help = "let the unknown symbol stand in a translation"});
    v("undo-bpe", undo_bpe,
      {.help = "join subwords marked with @@ in translations (Sennrich et al. 2016)"});
    v("max-length-factor", max_length_factor,
      {.help = "longest translation, as a multiple of the source's tokens, end symbols included",
       .min = 0.01,
       .max = 1000});
    v("max-output-length", max_output_length,
      {.help = "longest translation, in tokens, end symbol included", .min = 1, .max = 1e6});
    v("max-length", max_length,
      {.help = "longest source, in tokens without the end symbol; a longer line is translated in "
               "pieces, cut at sentence ends, a longer sentence is cut off; both are reported",
       .min = 1,
       .max = 1e6});
    v("mini-batch", mini_batch,
      {.help = "sentences translated at a time; it changes speed and memory, never the text",
       .min = 1,
       .max = 1e5});
    v("maxi-batch", maxi_batch,
      {.help = "batches read together and sorted by length", .min = 1, .max = 1e6});
  }
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_OPTIONS_H_
