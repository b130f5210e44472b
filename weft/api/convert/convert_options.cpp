#include "weft/api/convert/convert_options.h"

#include <fmt/core.h>

#include "weft/core/error.h"
#include "weft/options/option_table.h"

namespace weft::api {

void ConvertOptions::validate() const {
  if (!from_hf.empty() + !from_gguf.empty() + !model.empty() != 1) {
    fail<OptionError>("arguments", "expected --from-hf, --from-gguf or --model, one of them");
  }
  check_read();
  check_precision();
  if (!adapter.empty() && !merge && has_output()) {
    fail<OptionError>("--lora", "expected --merge: models that are written have no adapter");
  }
  if (has_output() || !to_peft.empty() || !check.empty()) return;
  fail<OptionError>("arguments", "nothing to do; expected {}, --to-gguf{} or --check",
                    model.empty() ? "--output" : "--to-hf", adapter.empty() ? "" : ", --to-peft");
}

void ConvertOptions::check_read() const {
  const auto check_unread = [&](std::string_view without, auto... names) {
    const auto is_read = [&](std::string_view name) { return ((name != names) && ...); };
    options::check_unread(*this, is_read, fmt::format("without {}", without));
  };
  if (!model.empty() && !merge) check_unread("--from-hf, --from-gguf or --merge", "output");
  if (model.empty() && !merge) check_unread("--model or --merge", "to-hf");
  if (adapter.empty()) check_unread("--lora", "merge", "to-peft");
  if (to_hf.empty() && to_gguf.empty() && !keeps_blocks()) {
    check_unread("--to-hf, --to-gguf, or --from-gguf with --output", "precision");
  }
  if (output.empty() && to_gguf.empty()) check_unread("--output or --to-gguf", "overwrite");
  if (check.empty()) check_unread("--check", "check-text", "check-limit");
}

void ConvertOptions::check_precision() const {
  if (to_gguf.empty() && keeps_blocks() && precision != "auto" && precision != "float32") {
    fail<OptionError>("--precision", "expected auto or float32 with --from-gguf, got {}",
                      precision);
  }
  if (!to_hf.empty() && precision.starts_with("q")) {
    fail<OptionError>("--precision", "{} needs --to-gguf; expected float32, bfloat16 or float16",
                      precision);
  }
}

model_file::FloatType ConvertOptions::float_type() const {
  using model_file::FloatType;
  if (precision == "float16") return FloatType::kFloat16;
  return precision == "bfloat16" ? FloatType::kBFloat16 : FloatType::kFloat32;
}

formats::GgufType ConvertOptions::gguf_type() const {
  using formats::GgufType;
  if (precision == "q8_0") return GgufType::kQ8_0;
  if (precision == "q4_0") return GgufType::kQ4_0;
  if (precision == "float16") return GgufType::kF16;
  return precision == "bfloat16" ? GgufType::kBF16 : GgufType::kF32;
}

}  // namespace weft::api
