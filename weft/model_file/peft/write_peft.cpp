#include "weft/model_file/peft/write_peft.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "weft/core/files/atomic_file.h"
#include "weft/core/files/atomic_folder.h"
#include "weft/formats/safetensors.h"
#include "weft/model_file/foreign/fields.h"
#include "weft/model_file/hugging_face/paths.h"
#include "weft/model_file/peft/config.h"
#include "weft/model_file/peft/matrices.h"
#include "weft/model_file/peft/modules.h"
#include "weft/model_file/peft/tensor_names.h"

namespace weft::model_file {
namespace {

struct PeftTensors {
  formats::NamedTensors tensors;
  std::map<int64_t, std::vector<std::string>> modules;  // with updates, by their rank
};

PeftTensors peft_tensors(const Adapter& adapter, const PeftModules& modules) {
  std::map<std::string, const AdapterMatrices*> updates;
  for (const AdapterMatrices& update : adapter.updates) updates[update.weight] = &update;
  PeftTensors out;
  for (const auto& [module, map] : modules.linear_maps()) {
    std::vector<const AdapterMatrices*> parts;
    for (const auto& [weight, p] : map.parts) {
      const auto found = updates.find(weight);
      parts.push_back(found == updates.end() ? nullptr : found->second);
    }
    if (std::ranges::count(parts, nullptr) == std::ssize(parts)) continue;
    const PeftMatrices matrices = matrices_of(map, parts);
    const PeftNames names = peft_names(module);
    out.tensors.emplace_back(names.down, matrices.down);
    out.tensors.emplace_back(names.up, matrices.up);
    out.modules[matrices.down.rows()].push_back(module);
  }
  return out;
}

// A whole number where it is one.
Json json_number(double x) { return x == std::floor(x) ? Json(static_cast<int64_t>(x)) : Json(x); }

// The settings, of the same scale for modules of every rank.
Json peft_config(const AdapterOptions& options, const PeftTensors& written,
                 const PeftModules& modules) {
  std::vector<std::string> all;
  bool is_transposed = false;
  for (const auto& [rank, names] : written.modules) {
    all.insert(all.end(), names.begin(), names.end());
    is_transposed |= modules.linear_maps().at(names.front()).mapping->is_transposed;
  }
  std::ranges::sort(all);
  Json ranks = Json::object(), alphas = Json::object();
  for (const auto& [rank, names] : written.modules) {
    if (rank == options.rank) continue;
    const double alpha =
        options.alpha * static_cast<double>(rank) / static_cast<double>(options.rank);
    for (const std::string& end : common_ends(names, all)) {
      ranks[end] = rank;
      alphas[end] = json_number(alpha);
    }
  }
  return {{"peft_type", "LORA"},
          {"task_type", "CAUSAL_LM"},
          {"inference_mode", true},
          {"r", options.rank},
          {"lora_alpha", json_number(options.alpha)},
          {"lora_dropout", options.dropout},
          {"target_modules", common_ends(all, modules.names())},
          {"rank_pattern", ranks},
          {"alpha_pattern", alphas},
          {"fan_in_fan_out", is_transposed},
          {"bias", "none"}};
}

}  // namespace

void write_peft(const std::string& folder, const Adapter& adapter, LanguageModelSession& session,
                const std::string& base_model) {
  AtomicFolder out(folder);
  const PeftModules modules(session);
  check_fits(modules.parameters(), adapter, folder);
  const PeftTensors written = peft_tensors(adapter, modules);
  Json config = peft_config(adapter.options, written, modules);
  config["base_model_name_or_path"] = base_model;
  out.start();
  write_file(path_in(out.partial(), kPeftConfigFile), config.dump(2) + "\n");
  std::map<std::string, std::string> metadata = {{"format", "pt"}};
  const std::string& checksum = adapter.options.base_checksum;
  if (!checksum.empty()) metadata[kBaseChecksum] = checksum;
  formats::save_safetensors(path_in(out.partial(), kPeftWeightsFile), written.tensors, metadata);
  out.commit();
}

}  // namespace weft::model_file
