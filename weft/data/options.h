// Which data are read, and how they become tokens.
#ifndef WEFT_DATA_OPTIONS_H_
#define WEFT_DATA_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "weft/data/text/vocabulary_options.h"
#include "weft/options/fields.h"

namespace weft::data {

struct DataOptions : VocabularyOptions {
  std::vector<std::string> train_sets;
  std::vector<double> train_weights;
  bool tsv = false;
  int64_t max_length = 200;
  bool max_length_crop = false;
  std::string corpus_cache = "auto";

  template <class V>
  void fields(V& v) {
    v("train-sets", train_sets,
      {.help = "parallel training text, plain or .gz, or - for standard input: a file for each "
               "field, of one corpus after the other; with --tsv one file for each corpus",
       .letter = 't',
       .required = true,
       .reads = true,
       .may_change = true});
    v("train-weights", train_weights,
      {.help = "for each corpus, how often an epoch goes over it: 2 twice, 0.5 over another half "
               "each time; none: once each",
       .min = 0});
    v("tsv", tsv, {.help = "the fields of a sentence pair are tab-separated columns of one file"});
    VocabularyOptions::fields(v);
    v("max-length", max_length,
      {.help = "longest sentence, in tokens without the end symbol; 0: any", .min = 0});
    v("max-length-crop", max_length_crop,
      {.help = "cut training sentences over --max-length instead of leaving their pair out"});
    v("corpus-cache", corpus_cache,
      {.help = "folder of a file with the tokenised training text, which later starts map instead "
               "of reading the text again; auto: that of the first vocabulary, for text of 64 MB "
               "or more, and none with --from; off: no file",
       .may_change = true});
  }
};

}  // namespace weft::data

#endif  // WEFT_DATA_OPTIONS_H_
