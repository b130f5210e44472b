// The tensors of another system's model, by its names.
#ifndef WEFT_MODEL_FILE_FOREIGN_TENSORS_H_
#define WEFT_MODEL_FILE_FOREIGN_TENSORS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/kernels/packed.h"
#include "weft/tensor/tensor.h"

namespace weft::model_file {

class ForeignTensors {
 public:
  virtual ~ForeignTensors() = default;

  virtual std::vector<std::string> names() const = 0;
  virtual bool has(const std::string& name) const = 0;
  // The file to name in an error about a tensor, also about one that is missing.
  virtual const std::string& path_of(const std::string& name) const = 0;
  // Of a tensor that is there. Throws FormatError for more than 4 dimensions.
  virtual Shape shape(const std::string& name) const = 0;
  // The type in which they are packed without loss: BF16, blocks, or F32 (also for F16).
  virtual kernels::PackedType type(const std::string& name) const = 0;
  // The name of the type in the file, such as "F16", and the bytes of the tensor there.
  virtual std::string_view type_name(const std::string& name) const = 0;
  virtual int64_t bytes(const std::string& name) const = 0;
  // The tensor in F32, dense. Throws FormatError, naming it, for elements of another type than
  // blocks and floating-point numbers of 16 or 32 bits.
  virtual Tensor float32(const std::string& name) const = 0;
  // The bytes of a tensor in blocks, row by row.
  virtual std::string_view blocks(const std::string& name) const = 0;
  // Lets the system reclaim the memory of the tensor; it is read again on access.
  virtual void release(const std::string& name) const = 0;
};

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_FOREIGN_TENSORS_H_
