// How the files of another system's model hold its parameters.
#ifndef WEFT_MODEL_FILE_FOREIGN_TENSORS_IN_FILES_H_
#define WEFT_MODEL_FILE_FOREIGN_TENSORS_IN_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "weft/model_file/foreign/name_map.h"

namespace weft::model_file {

struct TensorInFile {
  std::string name;   // of the parameter
  std::string type;   // as the file calls it, "Q4_K"
  int64_t bytes = 0;  // its share of the bytes of the tensor that it is in
};

// One for each parameter, in their order. The files have to have all tensors.
std::vector<TensorInFile> tensors_in_files(const NameMap& map, const ForeignTensors& tensors,
                                           const std::vector<nn::NamedParameter>& parameters);

// The bytes of all files that hold tensors.
int64_t bytes_of_files(const ForeignTensors& tensors);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_FOREIGN_TENSORS_IN_FILES_H_
