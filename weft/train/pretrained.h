// Starting from another model's weights.
#ifndef WEFT_TRAIN_PRETRAINED_H_
#define WEFT_TRAIN_PRETRAINED_H_

#include <string>
#include <vector>

#include "weft/infer/model_file.h"

namespace weft::train {

struct Pretrained {
  std::vector<std::string> taken;    // parameters that came from the file
  std::vector<std::string> missing;  // parameters it has not, or in another shape
  std::vector<std::string> unused;   // what it has beside those
  bool has_vocabularies = true;      // its vocabularies are the session's

  // "37 of 40 parameters from a.safetensors; not found there in this shape: ...; not used: ..."
  std::string text(const std::string& path) const;
};

// Copies into the session's parameters those of a model file that have their name and shape; the
// others stay as they are. Throws what reading throws, and FormatError where nothing fits.
Pretrained take_pretrained(const std::string& path, infer::Session& session);

}  // namespace weft::train

#endif  // WEFT_TRAIN_PRETRAINED_H_
