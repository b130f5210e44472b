// Encoder-decoder models as files, with the tokenisers of their source and target.
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

// The power of its length that a hypothesis's log-probability is divided by in decoding, unless the
// model's file says another.
inline constexpr double kDefaultNormalize = 1;

// A model ready to run. Copies share weights and vocabularies. Decoding and scoring only read a
// session, so that any number of threads may use one, or copies of it, at the same time; training
// changes the weights, and with them every copy. The functions of this file may run in several
// threads at the same time, each with a file and a model of its own where it writes.
struct Session {
  models::Seq2Seq model;
  Tensor parameters;                           // [P], flat, in visiting order; empty where packed
  std::vector<data::TokeniserPtr> tokenisers;  // source, target
  double normalize = kDefaultNormalize;        // the default of --normalize

  const data::Tokeniser& source() const { return *tokenisers.front(); }
  const data::Tokeniser& target() const { return *tokenisers.back(); }
};

// Maps the file: weights in F32 are used in place, others are widened. Throws FileError, or
// FormatError naming the file and what in it is missing, superfluous or of the wrong shape.
Session load_model(const std::string& path);

// The same for inference alone: matrices are packed in the given precision, and the file's memory
// is released.
Session load_packed(const std::string& path, Precision precision);

// Throws OptionError, naming `path`, the file of `other`, unless its vocabularies and begin and end
// symbols are those of `first`, which the message calls `whose`.
void check_vocabularies(const Session& first, const Session& other, std::string_view path,
                        std::string_view whose);

// Writes `weights` [P], laid out as the model's parameters, as one file, whole or not at all.
// Throws FileError.
void save_model(const std::string& path, const Session& session, const Tensor& weights);

// The same with every matrix rounded to `precision`, which is not kStored: a smaller file.
void save_rounded(const std::string& path, const Session& session, Precision precision);

// A model with initial weights, sized for the vocabularies. Throws OptionError where options
// contradict them or each other.
Session new_model(const models::Seq2SeqOptions& options,
                  const std::vector<data::TokeniserPtr>& tokenisers, uint64_t seed);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_SEQ2SEQ_H_
