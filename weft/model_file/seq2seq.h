// Files of encoder-decoder models with their source and target tokenisers.
#ifndef WEFT_MODEL_FILE_SEQ2SEQ_H_
#define WEFT_MODEL_FILE_SEQ2SEQ_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/data/tokeniser.h"
#include "weft/model_file/model_file.h"
#include "weft/models/seq2seq.h"

namespace weft::model_file {

inline constexpr std::string_view kSeq2Seq = "seq2seq";  // the kind of these files

// The default exponent of the length that divides log-probabilities in decoding.
inline constexpr double kDefaultNormalize = 1;

// A model ready to run. Copies share weights and tokenisers. Decoding and scoring only read a
// session, so several threads may use it concurrently; training modifies the weights of all copies.
// The functions of this file are thread-safe if no two threads write the same file or model.
struct Session {
  models::Seq2Seq model;
  Tensor parameters;                           // [P], flat, in visiting order; empty if packed
  std::vector<data::TokeniserPtr> tokenisers;  // source, target
  double normalize = kDefaultNormalize;        // the default of --normalize

  const data::Tokeniser& source() const { return *tokenisers.front(); }
  const data::Tokeniser& target() const { return *tokenisers.back(); }
};

// Maps the file. F32 weights are used in place, others are converted to F32. Throws FileError, or
// FormatError naming the file and what is missing, unexpected or of the wrong shape.
Session load_model(const std::string& path);

// Loads a model for inference: matrices are packed in the given precision, and the mapped memory is
// released.
Session load_packed(const std::string& path, Precision precision);

// Throws OptionError unless `other`, loaded from `path`, has the same vocabularies and begin and
// end symbols as `first`. The message refers to `first` as `reference`.
void check_vocabularies(const Session& first, const Session& other, std::string_view path,
                        std::string_view reference);

// Writes a model file atomically with `weights` [P] in visiting order. Throws FileError.
void save_model(const std::string& path, const Session& session, const Tensor& weights);

// Writes a smaller file with matrices rounded to `precision`, which must not be kStored.
void save_rounded(const std::string& path, const Session& session, Precision precision);

// Creates a model with initial weights, sized for the vocabularies. Throws OptionError if the
// options contradict the vocabularies or each other.
Session new_model(const models::Seq2SeqOptions& options,
                  const std::vector<data::TokeniserPtr>& tokenisers, uint64_t seed);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_SEQ2SEQ_H_
