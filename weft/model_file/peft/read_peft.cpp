#include "weft/model_file/peft/read_peft.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/data/text/text_file.h"
#include "weft/model_file/hugging_face/paths.h"
#include "weft/model_file/hugging_face/weight_files.h"
#include "weft/model_file/peft/config.h"
#include "weft/model_file/peft/matrices.h"
#include "weft/model_file/peft/modules.h"
#include "weft/model_file/peft/tensor_names.h"

namespace weft::model_file {
namespace {

constexpr const char* kPickledFile = "adapter_model.bin";
constexpr size_t kMaxConfigBytes = size_t{1} << 24;

WeightFile open_tensors(const std::string& folder) {
  const std::string path = path_in(folder, kPeftWeightsFile);
  const std::string pickled = path_in(folder, kPickledFile);
  return WeightFile(!file_exists(path) && file_exists(pickled) ? pickled : path);
}

class PeftReader {
 public:
  PeftReader(const std::string& folder, const PeftModules& modules)
      : modules_(modules),
        config_path_(path_in(folder, kPeftConfigFile)),
        config_(parse_peft_config(data::read_bytes(config_path_, Pipes::kRefused, kMaxConfigBytes),
                                  config_path_)),
        file_(open_tensors(folder)),
        tensors_(file_) {}

  Adapter read() const {
    Adapter out{.options = options(), .updates = {}};
    for (const auto& [module, names] : find_updates(tensors_.names(), file_.path())) {
      const MappedTensor& map = checked_map(module, names);
      const auto scale =
          static_cast<float>(config_.scale_of(module) / out.options.scale());  // of B
      for (AdapterMatrices& update : updates_of(map, matrices(names))) {
        for (float& x : update.up.span<float>()) x *= scale;
        out.updates.push_back(std::move(update));
      }
    }
    check_targets(config_, modules_.names(), config_path_);
    sort(out.updates);
    check_fits(modules_.parameters(), out, file_.path());
    return out;
  }

 private:
  AdapterOptions options() const {
    const double root =
        config_.is_rank_stabilised ? std::sqrt(static_cast<double>(config_.rank)) : 1;
    return {.rank = config_.rank,
            .alpha = config_.alpha * root,
            .dropout = config_.dropout,
            .base_checksum = file_.metadata(kBaseChecksum)};
  }

  // The linear map with this update, whose matrices have the right shapes.
  const MappedTensor& checked_map(const std::string& module, const PeftNames& names) const {
    const auto found = modules_.linear_maps().find(module);
    if (found == modules_.linear_maps().end()) {
      fail<FormatError>(file_.path(),
                        "an update of {}; expected one of a linear map of the model{}",
                        quote(module), trained_on());
    }
    if (!config_.is_target(module)) {
      fail<FormatError>(file_.path(), "an update of {}, which is none of 'target_modules' in {}",
                        quote(module), kPeftConfigFile);
    }
    int64_t out = 0;
    for (const auto& [unused, p] : found->second.parts) out += p->shape.rows();
    const int64_t in = found->second.parts.front().parameter->shape.cols(),
                  rank = config_.rank_of(module);
    check_shape_of(names.down, {rank, in});
    check_shape_of(names.up, {out, rank});
    return found->second;
  }

  void check_shape_of(const std::string& tensor, const Shape& expected) const {
    const Shape shape = tensors_.shape(tensor);
    if (shape == expected) return;
    fail<FormatError>(file_.path(), "tensor '{}' has the wrong shape; expected {}, got {}{}",
                      tensor, expected.text(), shape.text(), trained_on());
  }

  std::string trained_on() const {
    return config_.base_model.empty()
               ? std::string()
               : fmt::format("; it was trained on {}", quote(config_.base_model));
  }

  PeftMatrices matrices(const PeftNames& names) const {
    return {tensors_.float32(names.down), tensors_.float32(names.up)};
  }

  // In the order of the model's parameters.
  void sort(std::vector<AdapterMatrices>& updates) const {
    std::map<std::string, size_t> order;
    for (const auto& [name, p] : modules_.parameters()) order[name] = order.size();
    std::ranges::sort(updates, {}, [&](const AdapterMatrices& one) { return order[one.weight]; });
  }

  const PeftModules& modules_;
  std::string config_path_;
  PeftConfig config_;
  WeightFile file_;
  WeightFiles tensors_;
};

}  // namespace

bool is_peft_folder(const std::string& path) { return file_exists(path_in(path, kPeftConfigFile)); }

Adapter read_peft(const std::string& folder, LanguageModelSession& session) {
  const PeftModules modules(session);
  return PeftReader(folder, modules).read();
}

}  // namespace weft::model_file
