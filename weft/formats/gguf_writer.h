// Writes GGUF files of version 3.
#ifndef WEFT_FORMATS_GGUF_WRITER_H_
#define WEFT_FORMATS_GGUF_WRITER_H_

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "weft/formats/gguf_blocks.h"
#include "weft/tensor/tensor.h"

namespace weft::formats {

// A tensor to write in a type that quantise() makes. Rows are whole blocks.
struct GgufTensorToWrite {
  std::string name;
  Tensor values;  // F32, dense
  GgufType type = GgufType::kF32;
};

// The bytes before the data. Whole numbers become UINT32, or INT32 where they are negative or in a
// list, UINT64 or INT64 where they need it; others FLOAT32; lists have items of one type. The
// output is deterministic. Throws FormatError for other values.
std::string gguf_header(const nlohmann::ordered_json& metadata,
                        std::span<const GgufTensorToWrite> tensors);

// Writes the file atomically. Throws FileError, FormatError.
void save_gguf(const std::string& path, const nlohmann::ordered_json& metadata,
               std::span<const GgufTensorToWrite> tensors);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_GGUF_WRITER_H_
