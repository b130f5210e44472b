#include "weft/model_file/peft/tensor_names.h"

#include <string_view>
#include <utility>

#include "weft/core/error.h"

namespace weft::model_file {
namespace {

constexpr std::string_view kModulePrefix = "base_model.model.";

struct TensorEnd {
  std::string_view text;
  std::string PeftNames::*part;
};

constexpr TensorEnd kTensorEnds[] = {
    {".lora_A.weight", &PeftNames::down},
    {".lora_B.weight", &PeftNames::up},
    {".lora_A.default.weight", &PeftNames::down},
    {".lora_B.default.weight", &PeftNames::up},
};

std::string_view what_is(std::string_view tensor) {
  const auto has = [&](std::string_view text) { return tensor.find(text) != tensor.npos; };
  if (has(".lora_embedding_")) return "of an update of an embedding";
  if (has(".lora_magnitude_vector")) return "of an update by DoRA";
  return "no matrix of an update of a linear map";
}

std::string_view matrix_name(std::string PeftNames::*part) {
  return part == &PeftNames::down ? "lora_A" : "lora_B";
}

// The module of a tensor, and which of its matrices it is.
std::pair<std::string, std::string PeftNames::*> parse_name(const std::string& tensor,
                                                            const std::string& where) {
  for (const auto& [end, part] : kTensorEnds) {
    const size_t begin = kModulePrefix.size(), bytes = begin + end.size();
    if (tensor.size() <= bytes || !tensor.starts_with(kModulePrefix) || !tensor.ends_with(end)) {
      continue;
    }
    return {tensor.substr(begin, tensor.size() - bytes), part};
  }
  fail<FormatError>(where, "tensor {} is {}; expected base_model.model.<module>.lora_A.weight",
                    quote(tensor), what_is(tensor));
}

}  // namespace

PeftNames peft_names(const std::string& module) {
  const std::string name = std::string(kModulePrefix) + module;
  return {name + ".lora_A.weight", name + ".lora_B.weight"};
}

std::map<std::string, PeftNames> find_updates(const std::vector<std::string>& tensors,
                                              const std::string& where) {
  std::map<std::string, PeftNames> out;
  for (const std::string& tensor : tensors) {
    const auto [module, part] = parse_name(tensor, where);
    std::string& name = out[module].*part;
    if (!name.empty()) {
      fail<FormatError>(where, "two tensors of {} of module {}", matrix_name(part), quote(module));
    }
    name = tensor;
  }
  for (const auto& [module, names] : out) {
    for (const auto part : {&PeftNames::down, &PeftNames::up}) {
      if (!(names.*part).empty()) continue;
      fail<FormatError>(where, "no tensor of {} of module {}", matrix_name(part), quote(module));
    }
  }
  if (out.empty()) fail<FormatError>(where, "no updates; expected at least one");
  return out;
}

}  // namespace weft::model_file
