// Fuzzes chat templates (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_chat_template_fuzz -max_len=4096 -max_total_time=600 corpus
//
// `corpus` is a folder. If empty, it is initialised with templates that use all parts of Jinja.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/fuzz/seeds.h"
#include "weft/core/error.h"
#include "weft/core/text/utf8.h"
#include "weft/data/jinja/jinja_template.h"

namespace {

using namespace weft::data::jinja;
using Json = nlohmann::ordered_json;
using weft::test::require;

std::vector<std::string> seeds() {
  return {
      "{% for m in messages %}{{ '<|' + m.role + '|>' }}{{ m.content | trim }}{{ loop.index0 }}"
      "{% if not loop.last %}{% continue %}{% endif %}{% endfor %}{{ eos_token }}",
      "{%- macro f(x, y=2) -%}{{ x ~ y }}{{ caller() if caller is defined }}{%- endmacro -%}"
      "{% call f(1) %}a{% endcall %}{% set ns = namespace(a=[1]) %}{% set ns.a = ns.a + [2] %}",
      "{{ messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | join(', ')"
      " }}{{ messages | tojson(indent=2) }}{{ messages[0].content[1:-1:2] }}",
      "{{ '%s %05.2f' % ('a', 1.5) }}{{ '{} {x}'.format(1, x=2) }}{{ 'a,b'.split(',')[0] }}"
      "{{ {'a': 1} | dictsort }}{{ [3, 1] | sort }}{{ 'x' * 3 }}{{ 7 // 2 ** 2 % 3 }}",
      "{% set x %}b{% endset %}{% filter upper | indent(2) %}{{ x }}{% endfilter %}{% raw %}{{ "
      "{% endraw %}{# c #}{% with a = 1 %}{{ a }}{% endwith %}{% generation %}{% endgeneration %}",
      "{{ messages[0]['content'].replace('a', 'b') | safe + '<' }}{{ strftime_now('%d %b %Y') }}"
      "{{ range(3) | list }}{{ dict(a=1) }}{{ raise_exception('no') if tools else none }}",
  };
}

const Json& user() {
  static const Json variables = {
      {"messages",
       {{{"role", "user"}, {"content", "aA \xC3\xA9<|x|>"}},
        {{"role", "assistant"}, {"content", {{{"type", "text"}, {"text", "b"}}}}, {"n", 1.5}}}},
      {"tools", nullptr},
      {"add_generation_prompt", true}};
  return variables;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  weft::test::add_seeds({*argv, static_cast<size_t>(*argc)}, seeds());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string source =
      weft::repair_utf8({reinterpret_cast<const char*>(data), size});  // as the readers of files do
  const Json model = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
  try {
    const Template parsed(source, "fuzz");
    const MarkedText text = parsed.render({user(), model}, {}, {.steps = 20'000, .bytes = 1 << 20});
    require(weft::valid_utf8(text.text()));
    uint32_t end = 0;
    for (const auto& range : text.typed()) {
      require(range.begin >= end && range.begin < range.end && range.end <= text.size());
      end = range.end;
    }
  } catch (const weft::FormatError&) {  // the one kind that bytes may lead to
  }
  return 0;
}
