// GGUF, the model files of llama.cpp: metadata under names such as "llama.block_count", and tensors
// of floats or of blocks of few bits.
#ifndef WEFT_FORMATS_GGUF_H_
#define WEFT_FORMATS_GGUF_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "weft/formats/gguf_blocks.h"

namespace weft::formats {

struct GgufTensor {
  std::string name;
  std::vector<int64_t> shape;  // 1 to 4 dimensions, the outermost first
  GgufType type = GgufType::kF32;
  std::string_view data;  // blocks along rows, row by row

  int64_t elements() const;
};

struct GgufContents {
  nlohmann::ordered_json metadata;  // an object: numbers, booleans, strings and lists of them
  std::vector<GgufTensor> tensors;  // in file order
};

// Parses a file of version 2 or 3 with contents `file`, which the tensors point into: names are
// unique, and every tensor has its bytes inside the file, apart from the others. Throws
// FormatError, prefixed with `where`, naming the key or tensor.
GgufContents parse_gguf(std::string_view where, std::string_view file);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_GGUF_H_
