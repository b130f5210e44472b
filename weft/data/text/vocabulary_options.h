// Which vocabularies a training has, and how those that do not exist are made.
#ifndef WEFT_DATA_TEXT_VOCABULARY_OPTIONS_H_
#define WEFT_DATA_TEXT_VOCABULARY_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "weft/options/fields.h"

namespace weft::data {

struct VocabularyOptions {
  std::vector<std::string> vocabs;
  std::vector<int64_t> dim_vocabs;
  std::string vocab_type = "auto";
  int64_t vocab_min_count = 1;
  std::string sentencepiece_type = "unigram";
  std::string sentencepiece_options;
  int64_t sentencepiece_max_lines = 2000000;

  template <class V>
  void fields(V& v, bool required = false) {
    v("vocabs", vocabs,
      {.help =
           "a vocabulary for each field, made from the training text where the file does not "
           "exist; the same name twice is one joint vocabulary. .model and .spm: SentencePiece; "
           ".yml, .yaml and .json: `token: id`, or a tokenizer.json; else one token a line",
       .letter = 'v',
       .required = required,
       .reads = true,
       .made_if_missing = true,
       .may_change = true});
    v("dim-vocabs", dim_vocabs,
      {.help = "largest size of each vocabulary, or one for all, in tokens with the special "
               "symbols; 0 or none: 8000 for SentencePiece and bpe, else no limit",
       .min = 0,
       .may_change = true});
    v("vocab-type", vocab_type,
      {.help =
           "kind of a vocabulary to be made; auto: by its file name, SentencePiece or words; bpe: "
           "byte-level byte pairs, as a tokenizer.json; byte: the 256 bytes alone",
       .choices = "auto|sentencepiece|word|character|bpe|byte",
       .may_change = true});
    v("vocab-min-count", vocab_min_count,
      {.help = "a word, character or pair of tokens seen less often is left out of a vocabulary to "
               "be made",
       .min = 1,
       .may_change = true});
    v("sentencepiece-type", sentencepiece_type,
      {.help = "how SentencePiece is trained (Kudo 2018; Sennrich et al. 2016)",
       .choices = "unigram|bpe",
       .may_change = true});
    v("sentencepiece-options", sentencepiece_options,
      {.help = "further options of SentencePiece's trainer, as in \"--character_coverage=1.0\"",
       .may_change = true});
    v("sentencepiece-max-lines", sentencepiece_max_lines,
      {.help = "SentencePiece is trained on this many lines, drawn by the seed",
       .min = 1,
       .may_change = true});
  }

  // Fields of an example, the source first and the target last: the number of vocabularies.
  int64_t field_count() const { return static_cast<int64_t>(vocabs.size()); }
};

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_VOCABULARY_OPTIONS_H_
