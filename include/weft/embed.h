// Vectors of texts.
#ifndef WEFT_EMBED_H_
#define WEFT_EMBED_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/array.h"
#include "weft/export.h"
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

  // One vector for each text, in order.
  Embeddings embed(std::span<const std::string> texts, Report* report = nullptr) const;
  int64_t dimensions() const;  // E

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace weft

#endif  // WEFT_EMBED_H_
