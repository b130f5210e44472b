// Fuzzes lines of JSON with training text (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_training_text_fuzz -max_len=4096 -max_total_time=600 corpus
//
// `corpus` is a folder. If empty, it is initialised with lines of each form.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/seeds.h"
#include "weft/core/error.h"
#include "weft/core/text/utf8.h"
#include "weft/data/sequences/training_texts.h"

namespace {

using weft::test::require;

std::vector<std::string> seeds() {
  return {
      R"({"text": "a\n\u00e9"})",
      R"({"prompt": "a", "completion": "b"})",
      R"({"messages": [{"role": "system", "content": "s"}, {"role": "user", "content":)"
      R"( [{"type": "text", "text": "a"}]}, {"role": "assistant", "content": "b"}],)"
      R"( "tools": [{"function": {"name": "f"}}], "chat_template_kwargs": {"x": 1e9}})",
  };
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  weft::test::add_seeds({*argv, static_cast<size_t>(*argc)}, seeds());
  return 0;
}

// A line is a text, a completion or a conversation and not empty, or an error says what is wrong.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string line(reinterpret_cast<const char*>(data), size);
  if (!weft::valid_utf8(line)) return 0;
  try {
    const weft::data::TrainingText text = weft::data::parse_training_line(line);
    require(text.conversation ? !text.conversation->messages.empty() : !text.text.empty());
    if (text.completion) require(!text.completion->empty());
    weft::data::for_each_part(text, [](std::string_view part) { require(weft::valid_utf8(part)); });
  } catch (const weft::FormatError& error) {
    require(error.what()[0] != '\0');
  }
  return 0;
}
