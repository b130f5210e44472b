// A trained model as one file: weights, options, vocabularies.
#ifndef WEFT_INFER_MODEL_FILE_H_
#define WEFT_INFER_MODEL_FILE_H_

#include <string>
#include <vector>

#include "weft/data/tokeniser.h"
#include "weft/models/seq2seq.h"

namespace weft::infer {

// A model ready to run. Copies share weights and vocabularies.
struct Session {
  models::Seq2Seq model;
  Tensor parameters;                           // [P], flat, in visiting order
  std::vector<data::TokeniserPtr> tokenisers;  // source, target

  const data::Tokeniser& source() const { return *tokenisers.front(); }
  const data::Tokeniser& target() const { return *tokenisers.back(); }
};

// Maps the file: weights are used where they lie. Throws FileError, or FormatError naming the file
// and what in it is missing, superfluous or of the wrong shape.
Session load_model(const std::string& path);

// Writes `weights` [P], laid out as the model's parameters, as one file, whole or not at all.
void save_model(const std::string& path, models::Seq2Seq& model, const Tensor& weights,
                const std::vector<data::TokeniserPtr>& tokenisers);

// A model with initial weights, sized for the vocabularies.
Session new_model(const models::Seq2SeqOptions& options,
                  const std::vector<data::TokeniserPtr>& tokenisers, uint64_t seed);

}  // namespace weft::infer

#endif  // WEFT_INFER_MODEL_FILE_H_
