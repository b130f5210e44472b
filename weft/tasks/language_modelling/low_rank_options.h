// Training low-rank updates of a model instead of its weights (LoRA).
#ifndef WEFT_TASKS_LANGUAGE_MODELLING_LOW_RANK_OPTIONS_H_
#define WEFT_TASKS_LANGUAGE_MODELLING_LOW_RANK_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/model_file/adapter.h"
#include "weft/nn/low_rank.h"

namespace weft::tasks {

struct LowRankOptions {
  int64_t rank = 0;
  std::optional<double> alpha = {};
  std::vector<std::string> targets = {"all"};
  double dropout = 0;

  bool is_used() const { return rank > 0; }

  template <class V>
  void fields(V& v) {
    v("lora-rank", rank,
      {.help = "train low-rank updates of this rank beside the frozen weights of --from (LoRA, Hu "
               "et al. 2021, arXiv 2106.09685); the model file is then an adapter, which weft "
               "generate --lora and weft convert --lora read; 0: train the weights",
       .min = 0,
       .max = 1024});
    v("lora-alpha", alpha,
      {.help = "updates are scaled by alpha / rank; auto: alpha is twice the rank",
       .min = 1e-6,
       .max = 1e6});
    v("lora-targets", targets,
      {.help = "linear maps with updates: all, names of maps (q_proj k_proj v_proj out_proj gate "
               "fc1 fc2), or patterns of names of weights, as of --freeze"});
    v("lora-dropout", dropout, {.help = "dropout before the updates", .min = 0, .max = 0.99});
  }

  // Throws OptionError for options that are not read without a rank.
  void validate() const;
  // Those of the adapter's file.
  model_file::AdapterOptions adapter(const model_file::ModelParameters& model) const;
  // Throws OptionError for a target that matches no linear map of the model.
  std::vector<nn::LowRankTarget> chosen(const model_file::ModelParameters& model) const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LANGUAGE_MODELLING_LOW_RANK_OPTIONS_H_
