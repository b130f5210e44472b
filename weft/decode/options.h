// How translations are searched for.
#ifndef WEFT_DECODE_OPTIONS_H_
#define WEFT_DECODE_OPTIONS_H_

#include <cstdint>

#include "weft/core/fields.h"

namespace weft::decode {

struct DecodeOptions {
  int64_t beam_size = 5;
  double normalize = 0;
  double length_penalty = 0;
  bool n_best = false;
  bool allow_unk = false;
  bool undo_bpe = false;
  double max_length_factor = 3;
  int64_t max_output_length = 1000;
  int64_t max_length = 1000;
  int64_t mini_batch = 32;
  int64_t maxi_batch = 100;

  template <class V>
  void fields(V& v) {
    group(v, "Search");
    v("beam-size", beam_size,
      {.help = "hypotheses kept for a sentence; 1: the most probable token is taken at each step",
       .min = 1,
       .max = 1024,
       .letter = 'b',
       .alias = "beam"});
    v("normalize", normalize,
      {.help = "divide a hypothesis's log-probability by its length, end symbol included, to this "
               "power; 0: do not",
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
    v("n-best", n_best,
      {.help = "print all hypotheses of the beam: `line ||| text ||| F0= log-probability ||| "
               "score`"});
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
      {.help = "longest source, in tokens without the end symbol; what is over is cut off and "
               "reported",
       .min = 1,
       .max = 1e6});
    v("mini-batch", mini_batch,
      {.help = "sentences translated at a time; it changes speed and memory, never the text",
       .min = 1,
       .max = 1e5});
    v("maxi-batch", maxi_batch,
      {.help = "batches read together and sorted by length", .min = 1, .max = 1e6});
  }

  // Throws OptionError for options that contradict each other.
  void validate() const;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_OPTIONS_H_
