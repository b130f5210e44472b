// How another system names and stores a model's tensors, as data that serves import and export.
#ifndef WEFT_MODEL_FILE_FOREIGN_NAME_MAP_H_
#define WEFT_MODEL_FILE_FOREIGN_NAME_MAP_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/formats/safetensors.h"
#include "weft/model_file/foreign/tensors.h"
#include "weft/model_file/precision.h"
#include "weft/model_file/stored_matrices.h"
#include "weft/nn/parameters.h"

namespace weft::model_file {

// Where row or column `i` of one of `size` is there.
using Permutation = std::function<int64_t(int64_t i, int64_t size)>;

// A tensor there and the parameters that it is here. Each * of a name stands for any text, the same
// in all names of the mapping:
//   {.theirs = "h.*.c_attn.weight",
//    .ours = {"layers.*.q_proj.weight", "layers.*.k_proj.weight", "layers.*.v_proj.weight"},
//    .is_transposed = true}
struct NameMapping {
  std::string theirs;
  std::vector<std::string> ours;  // several: stacked there, one below the other
  bool is_transposed = false;     // [cols, rows] there
  // Its shape there; scalar: [cols] of parameters [1, cols], else [rows, cols], or [cols, rows].
  Shape shape = {};
  bool is_cropped = false;  // with a shape of fewer rows, the others are left out in export
  Permutation rows = {}, cols = {};  // of each parameter; empty: in the same order
  float added = 0;  // to the values there: 1 of norm weights that are stored less one
};

// A tensor that a file may hold although the model does not need it, such as a copy of a tied one.
struct ExtraTensor {
  std::string theirs;  // with *
  // Throws FormatError unless the tensor agrees with the model; empty: whatever it holds.
  std::function<void(const ForeignTensors& tensors, const std::string& name)> check = {};
  std::string same_as = {};  // the tensor that it must equal; empty: none
};

struct NameMap {
  std::vector<NameMapping> mappings;  // the first that fits a parameter counts
  std::vector<ExtraTensor> extras = {};
};

// A tensor there and the parameters that it is here.
struct MappedTensor {
  const NameMapping* mapping;  // of the map, which has to outlive it
  std::string theirs;
  std::vector<nn::NamedParameter> parts;
  Shape shape;  // there
};

// Whether each of the parameters is in a tensor there.
bool covers(const NameMap& map, const std::vector<nn::NamedParameter>& parameters);
// The tensors of a model. Throws FormatError for a parameter that no mapping fits.
std::vector<MappedTensor> mapped_tensors(const NameMap& map,
                                         const std::vector<nn::NamedParameter>& parameters);
// Where each row or column of `size` is there.
std::vector<int64_t> foreign_indices(const Permutation& permutation, int64_t size);

// The map of files whose names lack this prefix.
NameMap without_prefix(NameMap map, std::string_view prefix);

// The map of files whose names have this prefix, as that of a model in a larger one. Names of other
// files (with /) are as before, and extras may lack it.
NameMap with_prefix(NameMap map, std::string_view prefix);
// The map of files with `names` in which weights and biases of norms are called gamma and beta.
NameMap with_names_of_norms(NameMap map, const std::vector<std::string>& names);

// Throws FormatError, naming the tensor, for one that is missing, not part of the model, or of
// another shape.
void check_tensors(const NameMap& map, const ForeignTensors& tensors,
                   const std::vector<nn::NamedParameter>& parameters);

// Gives the parameters memory and the values of the tensors; returns the flat buffer [P]. All names
// and shapes are checked before memory is allocated. Throws what check_tensors() throws.
Tensor read_parameters(const NameMap& map, const ForeignTensors& tensors,
                       const std::vector<nn::NamedParameter>& parameters);

// The same for inference: packs the matrices, one tensor after the other, and binds the other
// parameters.
void pack_parameters(const NameMap& map, const ForeignTensors& tensors,
                     const std::vector<nn::NamedParameter>& parameters, Rounding rounding);
// The parameters as a model file holds them: matrices in blocks of the tensors' types, others in
// F32.
StoredMatrices stored_parameters(const NameMap& map, const ForeignTensors& tensors,
                                 const std::vector<nn::NamedParameter>& parameters);

// Whether the other system's tensors of a model with these parameters have one of this name.
bool has_tensor(const NameMap& map, const std::vector<nn::NamedParameter>& parameters,
                std::string_view name);
// The tensors of a model as the other system stores them. Throws FormatError for a parameter that
// no mapping fits.
formats::NamedTensors foreign_tensors_of(const NameMap& map,
                                         const std::vector<nn::NamedParameter>& parameters);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_FOREIGN_NAME_MAP_H_
