// Fuzzes the reader of PEFT's adapters: adapter_config.json, a zero byte, and the header of
// adapter_model.safetensors without its length (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_peft_fuzz -max_len=4096 -max_total_time=600 corpus
//
// `corpus` is a folder. If empty, it is initialised with small adapters.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/seeds.h"
#include "weft/core/error.h"
#include "weft/formats/safetensors_header.h"
#include "weft/model_file/peft/config.h"
#include "weft/model_file/peft/tensor_names.h"

namespace {

using namespace weft::model_file;
using weft::test::require;

std::vector<std::string> seeds() {
  const auto tensor = [](const std::string& name, const std::string& shape, int begin) {
    const std::string bytes = std::to_string(begin) + "," + std::to_string(begin + 8);
    return "\"base_model.model.h.0." + name + R"(.weight":{"dtype":"F16","shape":[)" + shape +
           R"(],"data_offsets":[)" + bytes + "]}";
  };
  const auto both = [&](const std::string& module, const std::string& adapter, int begin) {
    return tensor(module + ".lora_A" + adapter, "2,2", begin) + "," +
           tensor(module + ".lora_B" + adapter, "4,1", begin + 8);
  };
  const std::string names = std::string(1, '\0') + "{" + both("q_proj", "", 0) + "," +
                            both("up_proj", ".default", 16) +
                            R"(,"__metadata__":{"weft.base-checksum":"0123456789abcdef"}})";
  return {
      R"({"peft_type":"LORA","r":2,"lora_alpha":3,"target_modules":["q_proj","up_proj"]})" + names,
      R"({"peft_type":"LORA","use_rslora":true,"lora_dropout":0.1,"target_modules":"all-linear",)"
      R"("rank_pattern":{"q_proj":4,"^h\\.\\d.up_proj":1},"alpha_pattern":{"h.0.q_proj":7}})" +
          names,
      R"({"peft_type":"LORA","target_modules":".*\\.(q|up)_proj","init_lora_weights":"gaussian",)"
      R"("task_type":"CAUSAL_LM","bias":"none","base_model_name_or_path":"x","use_dora":false})" +
          names,
  };
}

// The names of the tensors of a header, whose file is long enough.
std::vector<std::string> names_in(std::string_view header) {
  std::string file(8, '\0');
  for (size_t i = 0; i < 8; ++i) file[i] = static_cast<char>(header.size() >> (8 * i));
  file.append(header).append(32, '\0');
  std::vector<std::string> out;
  for (const auto& entry : weft::formats::parse_safetensors_header("fuzz", file).entries) {
    out.push_back(entry.name);
  }
  return out;
}

void use(const PeftConfig& config, std::string_view module) {
  require(config.rank_of(module) >= 1);
  require(std::isfinite(config.scale_of(module)));
  config.is_target(module);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  weft::test::add_seeds({*argv, static_cast<size_t>(*argc)}, seeds());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(input.find('\0'), size);
  std::vector<std::string> modules = {"h.0.q_proj"};
  try {
    const auto updates = find_updates(names_in(input.substr(std::min(end + 1, size))), "fuzz");
    for (const auto& [module, names] : updates) {
      require(!names.down.empty() && !names.up.empty());
      modules.push_back(module);
    }
  } catch (const weft::FormatError&) {  // the one kind that bytes may lead to
  }
  try {
    const PeftConfig config = parse_peft_config(input.substr(0, end), "fuzz");
    for (const std::string& module : modules) use(config, module);
    check_targets(config, modules, "fuzz");
  } catch (const weft::FormatError&) {
  }
  return 0;
}
