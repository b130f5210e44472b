// Log-probabilities of given translations.
#ifndef WEFT_PREDICT_TRANSLATION_SCORE_H_
#define WEFT_PREDICT_TRANSLATION_SCORE_H_

#include <string_view>
#include <vector>

#include "weft/data/corpus/corpus.h"
#include "weft/models/seq2seq/seq2seq.h"

namespace weft::predict {

// Throws OptionError, with the path of its file, for a model that gives no probability of a token
// given the previous ones.
void check_scores_translations(const models::Seq2SeqOptions& options, std::string_view path);

struct SentenceScore {
  double log_probability = 0;  // nats, of all target tokens and the end symbol; NaN where the
                               // model's scores are not finite
  int64_t tokens = 0;          // with the end symbol
};

// log p(target | source) of every sentence pair, in order; a batch has at most `words` target
// tokens. A pair's score does not depend on the others.
std::vector<SentenceScore> score(const models::Seq2Seq& model, const data::Corpus& corpus,
                                 int64_t words);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TRANSLATION_SCORE_H_
