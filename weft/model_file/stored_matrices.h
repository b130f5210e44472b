// How model files hold matrices: F32; BF16; I8 with scales in a tensor of their own; or blocks, as
// U8 [rows, bytes of a row], with their type and columns in the metadata.
#ifndef WEFT_MODEL_FILE_STORED_MATRICES_H_
#define WEFT_MODEL_FILE_STORED_MATRICES_H_

#include <map>
#include <string>
#include <string_view>

#include "weft/formats/safetensors.h"
#include "weft/tensor/packed_weight.h"

namespace weft::model_file {

// The tensors and the metadata of a file that is written.
class StoredMatrices {
 public:
  StoredMatrices() = default;
  void add(const std::string& name, Tensor values);  // as they are
  // Rounds F32 values to the type: F32, BF16, I8, Q8_0 or Q4_0.
  void add(const std::string& name, const Tensor& values, kernels::PackedType type);
  // The bytes of blocks of a matrix [rows, cols].
  void add(const std::string& name, kernels::BlockType type, const Shape& shape,
           std::string_view blocks);

  formats::NamedTensors tensors;
  std::map<std::string, std::string> metadata;
};

// Reads the matrices of a file. The methods throw FormatError, naming the tensor.
class MatrixReader {
 public:
  explicit MatrixReader(const formats::SafetensorsFile& file) : file_(&file) {}

  // Whether a tensor belongs to the matrix of another name: its scales.
  bool is_part(const std::string& name) const;
  // These read a tensor that is in the file; for blocks, type() and shape() are those of the matrix
  // that the blocks hold. Scales and blocks are checked.
  kernels::PackedType type(const std::string& name) const;
  Shape shape(const std::string& name) const;
  Tensor float32(const std::string& name) const;
  PackedWeight packed(const std::string& name, kernels::PackedType type) const;

 private:
  const formats::SafetensorsFile* file_;
};

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_STORED_MATRICES_H_
