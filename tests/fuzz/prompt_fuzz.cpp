// Fuzzes lines of JSON with prompts and conversations, and what a chat template makes of them
// (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_prompt_fuzz -max_len=4096 -max_total_time=600 corpus
//
// `corpus` is a folder. If empty, it is initialised with lines of each form.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/seeds.h"
#include "weft/core/error.h"
#include "weft/core/text/utf8.h"
#include "weft/data/subwords/subword_tokeniser.h"
#include "weft/predict/generation/prompt.h"

namespace {

using namespace weft::data;
using weft::test::require;

std::vector<std::string> seeds() {
  return {
      R"({"prompt": "a\n\u00e9"})",
      R"([{"role": "user", "content": "a<s>b"}])",
      R"({"messages": [{"role": "system", "content": "s"}, {"role": "user", "content":)"
      R"( [{"type": "text", "text": "a"}, {"type": "image"}]}, {"role": "assistant", "content":)"
      R"( null, "reasoning": "r", "tool_calls": [{"function": {"name": "f", "arguments":)"
      R"( {"x": 1.5e3, "y": [true, null, -7]}}}]}], "tools": [{"function": {"name": "f"}}],)"
      R"( "documents": null, "chat_template_kwargs": {"enable_thinking": false}})",
      R"({"messages": [{"role": "user", "content": "a", "n": 18446744073709551615}]})",
  };
}

SubwordTokeniserPtr letters() {
  return load_tokenizer_json(
      R"({"version":"1.0","added_tokens":[{"id":2,"content":"<s>","special":true}],"model":)"
      R"({"type":"BPE","vocab":{"a":0,"b":1},"merges":[]}})",
      "letters", SpecialTokens{.begin = "<s>", .end = {"<s>"}});
}

const ChatTemplate& chat() {
  static const ChatTemplate found(
      ChatTemplates{
          .by_name = {{"default",
                       "{% for m in messages %}<s>{{ m.role }} {% if m.content is string %}"
                       "{{ m.content }}{% else %}{% for part in m.content %}{{ part.text }}"
                       "{% endfor %}{% endif %}{{ m.reasoning_content }}{{ m.tool_calls | tojson "
                       "if m.tool_calls }}{% endfor %}{{ tools | tojson if tools }}{{ documents }}"
                       "{% if enable_thinking %}t{% endif %}"}},
          .where = "fuzz"},
      *letters());
  return found;
}

void use(const weft::predict::Prompt& prompt) {
  if (prompt.fault) return require(!prompt.fault->reason.empty());
  require(weft::valid_utf8(prompt.text));
  if (!prompt.conversation) return;
  try {
    const jinja::MarkedText text = chat().render(*prompt.conversation, true, {});
    require(weft::valid_utf8(text.text()));
    for (const ByteRange& range : text.typed()) {
      require(range.begin < range.end && range.end <= text.size());
    }
  } catch (const weft::FormatError&) {  // the template refuses it
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  weft::test::add_seeds({*argv, static_cast<size_t>(*argc)}, seeds());
  return 0;
}

// No line is an error: each is a prompt or has a fault.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const weft::Line line{.text = {reinterpret_cast<const char*>(data), size}};
  use(weft::predict::json_prompt(line, {}));
  use(weft::predict::json_prompt(line, {.chat = true, .system = "s"}));
  return 0;
}
