// How good a model is on held-out text.
#ifndef WEFT_TRAIN_VALIDATOR_H_
#define WEFT_TRAIN_VALIDATOR_H_

#include <memory>
#include <string>
#include <vector>

#include "weft/data/corpus.h"
#include "weft/model_file/seq2seq.h"
#include "weft/train/options.h"

namespace weft::train {

struct Measure {
  std::string name;  // "cross-entropy" (nats a token), "perplexity", "bleu", "chrf"
  double value = 0;
};

// True where less is better.
bool is_loss(std::string_view metric);

class Validator {
 public:
  // Reads the validation text and cuts it to what the model's tables of places have room for.
  // Throws what reading throws.
  Validator(const TrainOptions& options, const std::vector<data::TokeniserPtr>& tokenisers);

  const data::CorpusReport& report() const { return corpus_->reports().front(); }

  // The metrics asked for, in their order.
  std::vector<Measure> measure(const model_file::Session& session) const;

 private:
  double cross_entropy(const model_file::Session& session) const;
  std::vector<std::string> translate(const model_file::Session& session) const;

  ValidationOptions options_;
  std::unique_ptr<data::Corpus> corpus_;
  std::vector<std::string> references_;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_VALIDATOR_H_
