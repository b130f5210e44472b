// The files of sentence-transformers, and the names of what is in them, there and here.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_SENTENCE_TRANSFORMERS_MODULE_FILES_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_SENTENCE_TRANSFORMERS_MODULE_FILES_H_

#include <fmt/core.h>

#include <string>

#include "weft/model_file/foreign/config_map.h"

namespace weft::model_file {

inline constexpr const char* kModulesFile = "modules.json";
inline constexpr const char* kModuleConfig = "config.json";
inline constexpr const char* kTextSettings = "sentence_bert_config.json";
inline constexpr const char* kPromptSettings = "config_sentence_transformers.json";

// Modes of pooling since version 5.5, here, and the flag of each in earlier versions.
struct PoolingMode {
  std::string_view theirs, ours, flag;
};
inline constexpr PoolingMode kPoolingModes[] = {
    {"cls", "first", "pooling_mode_cls_token"},
    {"max", "max", "pooling_mode_max_tokens"},
    {"mean", "mean", "pooling_mode_mean_tokens"},
    {"mean_sqrt_len_tokens", "mean-sqrt", "pooling_mode_mean_sqrt_len_tokens"},
    {"weightedmean", "weighted-mean", "pooling_mode_weightedmean_tokens"},
    {"lasttoken", "last", "pooling_mode_lasttoken"},
};

inline constexpr ValueName kDenseActivations[] = {
    {"torch.nn.modules.activation.Tanh", "tanh"}, {"torch.nn.modules.linear.Identity", "none"},
    {"torch.nn.modules.activation.ReLU", "relu"}, {"torch.nn.modules.activation.GELU", "gelu"},
    {"torch.nn.modules.activation.SiLU", "silu"},
};

// The folder of the i-th dense layer, from 0, as it is written; its tensors have this prefix.
inline std::string dense_folder(size_t i) { return fmt::format("{}_Dense", i + 2); }

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_SENTENCE_TRANSFORMERS_MODULE_FILES_H_
