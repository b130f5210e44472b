// The names of tensors in PEFT's adapter_model.safetensors:
//   base_model.model.<module>.lora_A.weight  A [r, D_in] of a module, such as
//   base_model.model.<module>.lora_B.weight  B [D_out, r]   "model.layers.0.self_attn.q_proj"
// Older files have lora_A.default.weight.
#ifndef WEFT_MODEL_FILE_PEFT_TENSOR_NAMES_H_
#define WEFT_MODEL_FILE_PEFT_TENSOR_NAMES_H_

#include <map>
#include <string>
#include <vector>

namespace weft::model_file {

inline constexpr const char* kPeftWeightsFile = "adapter_model.safetensors";
// Of the base model, in the metadata of files that Weft wrote. PEFT does not read it.
inline constexpr const char* kBaseChecksum = "weft.base-checksum";

// The tensors of an update.
struct PeftNames {
  std::string down, up;  // A, B
};

PeftNames peft_names(const std::string& module);

// The updates in a file with these tensors, by module. Throws FormatError, prefixed with `where`
// and naming the tensor, for one that is not part of an update of a linear map and one whose
// partner is missing.
std::map<std::string, PeftNames> find_updates(const std::vector<std::string>& tensors,
                                              const std::string& where);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_PEFT_TENSOR_NAMES_H_
