// Vectors of texts.
#ifndef WEFT_EMBED_H_
#define WEFT_EMBED_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/array.h"
#include "weft/export.h"
#include "weft/line.h"
#include "weft/model.h"
#include "weft/options.h"
#include "weft/report.h"

namespace weft {

struct Embeddings {
  Array vectors;                             // [N, E]; zeros for a text with a fault
  std::vector<std::optional<Fault>> faults;  // [N]
};

// Options: `prompt`, `prompt-name`, `dimensions`, `normalise`, `max-length`, `mini-batch`,
// `maxi-batch`, as of `weft embed`.
class WEFT_API Embedder {
 public:
  // Throws OptionError for a model of another kind.
  explicit Embedder(const Model& model, const Options& options = {});
  static const OptionSchema& schema();

  // One vector for each text, in order.
  Embeddings embed(std::span<const std::string> texts, Report* report = nullptr) const;
  Embeddings embed(std::span<const Line> lines, Report* report = nullptr) const;
  int64_t dimensions() const;  // E
  // How the model compares vectors: "cosine", "dot", "euclidean" or "manhattan".
  std::string_view similarity() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

struct Neighbour {
  int64_t row = 0;  // of the collection
  double score = 0;
};

// Finds the vectors of a collection that are nearest to given vectors. Immutable.
class WEFT_API NearestVectors {
 public:
  // `vectors` is [N, E]; a row that contains a non-finite number is never found. `similarity` is
  // one of the values of Embedder::similarity(); scores by distance are negative distances. Throws
  // ShapeError, OptionError.
  NearestVectors(Array vectors, std::string_view similarity);
  // Vectors of this embedder in a file, an array of NumPy or lines of numbers. Throws FileError,
  // FormatError.
  NearestVectors(const std::string& path, const Embedder& embedder);

  // The `most` rows with the highest score, the first of equals first, for each of `queries`
  // [Q, E]. The neighbours of a query do not depend on other queries. Throws ShapeError,
  // NumericError for queries that are not finite, and OptionError for `most` below 0.
  std::vector<std::vector<Neighbour>> find(const Array& queries, int64_t most) const;
  int64_t rows() const;  // N

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// Two texts that belong together: a question and its answer, a title and its text.
struct PositivePair {
  std::string first, second;
};

// Finds hard negatives: texts that are near to the first text of a pair and do not belong to it.
// Immutable.
class WEFT_API NegativeMiner {
 public:
  // Options: `negatives`, `skip`, `margin`, `document-prompt`, ..., as of `weft mine`. Throws
  // OptionError for a model of another kind.
  explicit NegativeMiner(const Model& model, const Options& options = {});
  static const OptionSchema& schema();

  // Returns hard negatives for each pair, the nearest to its first text first: second texts of all
  // pairs, and texts of `corpus`. A pair gets none if there are fewer than the option `negatives`
  // says. A negative is never the first text of its pair, nor a second text of any pair with the
  // same first text; two texts are the same if the model reads the same tokens. Texts of `corpus`
  // without a word are left out. `while_mining` is called at most ten times a second; an exception
  // that it throws ends the search. Throws FormatError for a pair in which a text has no word.
  std::vector<std::vector<std::string>> mine(std::span<const PositivePair> pairs,
                                             std::span<const std::string> corpus = {},
                                             Report* report = nullptr,
                                             const std::function<void()>& while_mining = {}) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// Vectors in fewer bits. Each vector is rounded on its own, so its result does not depend on other
// vectors.

// Multiplies each number by 127 / (the largest magnitude in the vector) and rounds it to the
// nearest integer, ties to even; cosines stay nearly the same. Throws NumericError for numbers that
// are not finite.
WEFT_API std::vector<int8_t> int8_vector(std::span<const float> vector);
// Returns one bit for each number: 1 if the number is above 0. The first number is the highest bit
// of the first byte, as in numpy.packbits. Unused bits of the last byte are 0.
WEFT_API std::vector<uint8_t> sign_bits(std::span<const float> vector);

}  // namespace weft

#endif  // WEFT_EMBED_H_
