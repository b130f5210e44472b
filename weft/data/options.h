// What is read, how it becomes tokens, and how tokens become batches.
#ifndef WEFT_DATA_OPTIONS_H_
#define WEFT_DATA_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "weft/core/fields.h"
#include "weft/data/batch_options.h"

namespace weft::data {

struct DataOptions {
  std::vector<std::string> train_sets;
  std::vector<double> train_weights;
  bool tsv = false;
  std::vector<std::string> vocabs;
  std::vector<int64_t> dim_vocabs;
  std::string vocab_type = "auto";
  int64_t vocab_min_count = 1;
  std::string sentencepiece_type = "unigram";
  std::string sentencepiece_options;
  int64_t sentencepiece_max_lines = 2000000;
  int64_t max_length = 200;
  bool max_length_crop = false;
  std::string corpus_cache = "auto";
  BatchOptions batching;

  template <class V>
  void fields(V& v) {
    v("train-sets", train_sets,
      {.help = "parallel training text, plain or .gz, or - for standard input: a file for each "
               "field, of one corpus after the other; with --tsv one file for each corpus",
       .letter = 't',
       .required = true,
       .reads = true});
    v("train-weights", train_weights,
      {.help = "for each corpus, how often an epoch goes over it: 2 twice, 0.5 over another half "
               "each time; none: once each",
       .min = 0});
    v("tsv", tsv, {.help = "the fields of a sentence pair are tab-separated columns of one file"});
    v("vocabs", vocabs,
      {.help =
           "a vocabulary for each field, made from the training text where the file does not "
           "exist; the same name twice is one joint vocabulary. .model and .spm: SentencePiece; "
           ".yml, .yaml and .json: `token: id`; else one token a line",
       .letter = 'v',
       .required = true,
       .reads = true});
    v("dim-vocabs", dim_vocabs,
      {.help = "largest size of each vocabulary, or one for all, in tokens with the special "
               "symbols; 0 or none: 8000 for SentencePiece, else no bound",
       .min = 0});
    v("vocab-type", vocab_type,
      {.help = "kind of a vocabulary to be made; auto: by its file name, SentencePiece or words",
       .choices = "auto|sentencepiece|word|character"});
    v("vocab-min-count", vocab_min_count,
      {.help = "a word or character seen less often is left out of a vocabulary to be made",
       .min = 1});
    v("sentencepiece-type", sentencepiece_type,
      {.help = "how SentencePiece is trained (Kudo 2018; Sennrich et al. 2016)",
       .choices = "unigram|bpe"});
    v("sentencepiece-options", sentencepiece_options,
      {.help = "further options of SentencePiece's trainer, as in \"--character_coverage=1.0\""});
    v("sentencepiece-max-lines", sentencepiece_max_lines,
      {.help = "SentencePiece is trained on so many lines, drawn by the seed", .min = 1});
    v("max-length", max_length,
      {.help = "longest sentence, in tokens without the end symbol; 0: any", .min = 0});
    v("max-length-crop", max_length_crop,
      {.help = "cut training sentences over --max-length instead of leaving their pair out"});
    v("corpus-cache", corpus_cache,
      {.help = "folder of a file with the tokenised training text, which later starts map instead "
               "of reading the text again; auto: that of the first vocabulary, for text of 64 MB "
               "or more; off: no file"});
    batching.fields(v);
  }

  // Fields of an example, the source first and the target last: the number of vocabularies.
  int64_t field_count() const { return static_cast<int64_t>(vocabs.size()); }
};

}  // namespace weft::data

#endif  // WEFT_DATA_OPTIONS_H_
