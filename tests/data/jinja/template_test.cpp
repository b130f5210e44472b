#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/errors.h"
#include "weft/data/jinja/jinja_template.h"

namespace weft::data::jinja {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

MarkedText rendered(const std::string& source, const Json& user = Json::object(),
                    const Limits& limits = {}) {
  return Template(source, "m: chat").render({user, Json::object()}, {}, limits);
}

std::string error_of(const std::string& source, const Json& user = Json::object(),
                     const Limits& limits = {}) {
  return test::message_of<FormatError>([&] { rendered(source, user, limits); });
}

// The text with what a user typed in brackets.
std::string marked(const std::string& source, const Json& user) {
  std::string out;
  rendered(source, user).for_each_run([&](std::string_view run, Source from) {
    out += from == Source::kUser ? "[" + std::string(run) + "]" : std::string(run);
  });
  return out;
}

TEST(JinjaTemplate, MarksWhatAUserTyped) {
  const Json user = {{"x", " AbC "}, {"l", {"p", "q"}}, {"d", {{"k", "<v>"}}}};
  EXPECT_EQ(marked("<{{ x }}>", user), "<[ AbC ]>");
  EXPECT_EQ(marked("{{ x ~ '|' + x[1:3] }}", user), "[ AbC ]|[Ab]");
  EXPECT_EQ(marked("{{ (x | trim | lower).replace('b', '--') }}", user), "[a]--[c]");
  EXPECT_EQ(marked("{{ l | join(', ') }}{{ l }}", user), "[p], [q]['[p]', '[q]']");
  EXPECT_EQ(marked("{{ d | tojson }}{{ d.k | e }}", user), "{\"[k]\": \"[<v>]\"}[&lt;v&gt;]");
  EXPECT_EQ(marked("{% set y %}a{{ x }}{% endset %}{{ y | indent }}{{ '%s!' % x }}", user),
            "a[ AbC  AbC ]!");
  EXPECT_EQ(marked("{{ x.split('b')[0] ~ x[::-1] ~ x * 2 }}", user), "[ A CbA  AbC  AbC ]");
  EXPECT_EQ(marked("{{ '{}.'.format(x.strip()) | upper }}", user), "[ABC].");
}

TEST(JinjaTemplate, TakesKnownRolesForWordsOfTheTemplate) {
  const Json user = {{"m", {{{"role", "user"}}, {{"role", "im_end"}}}}};
  EXPECT_EQ(marked("{% for x in m %}<|{{ x.role }}|>{% endfor %}", user), "<|user|><|[im_end]|>");
}

TEST(JinjaTemplate, NamesThePlaceOfWhatIsNoJinja) {
  EXPECT_EQ(error_of("a\n  {{ x + }}"),
            "m: chat: line 2, column 10: expected an expression, got }}");
  EXPECT_EQ(error_of("{% if x %}"),
            "m: chat: line 1, column 11: expected {% endif %}, got the end of the template");
  EXPECT_EQ(error_of("{{ 'a }}"), "m: chat: line 1, column 4: a string does not end");
  EXPECT_EQ(error_of("\n\n {% include 'x' %}").substr(0, 50),
            "m: chat: line 3, column 5: tag 'include' is not su");
  EXPECT_EQ(error_of("{{ x | frob }}"),
            "m: chat: line 1, column 8: filter 'frob' is not supported");
  EXPECT_THAT(error_of("{{ [1) }}"), HasSubstr("column 6: unexpected ')'; expected ']'"));
  EXPECT_THAT(error_of("{% break %}"), HasSubstr("'break' outside of a loop"));
}

TEST(JinjaTemplate, NamesThePlaceOfWhatFails) {
  EXPECT_EQ(error_of("a\n{{ x.y.z }}"), "m: chat: line 2, column 5: 'x' is undefined");
  EXPECT_EQ(error_of("{{ raise_exception('No ' ~ 1) }}"),
            "m: chat: line 1, column 19: the template refuses: No 1");
  EXPECT_THAT(error_of("{{ l.append(1) }}", {{"l", {1}}}),
              HasSubstr("'append' changes its object"));
  EXPECT_THAT(error_of("{{ 1 + 'a' }}"), HasSubstr("int + str has no meaning"));
  EXPECT_THAT(error_of("{{ 9223372036854775807 + 1 }}"), HasSubstr("more than 64 bits"));
}

TEST(JinjaTemplate, StopsTemplatesThatNeverEnd) {
  const Limits few{.steps = 10'000};
  const std::string loops =
      "{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}";
  EXPECT_THAT(error_of(loops, {}, few), HasSubstr("more than 10000 steps"));
  EXPECT_THAT(error_of("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"),
              HasSubstr("levels of nesting"));
  EXPECT_THAT(error_of("{{ range(1000000000) }}"), HasSubstr("more than 100000 numbers"));
}

TEST(JinjaTemplate, LimitsTheMemoryOfATemplate) {
  for (const char* source :
       {"{{ 'a' * 1000000000 }}", "{{ [1] * 1000000000 }}", "{{ '' | center(10 ** 12) }}",
        "{{ '%999999999999d' % 1 }}", "{{ 'a' | indent(10 ** 12, true) }}",
        "{{ [1] | tojson(indent='x' * 10000) | replace('x', 'y' * 10000) }}",
        "{% set ns = namespace(s='ab') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}"
        "{% endfor %}",
        "{% set ns = namespace(l=[0]) %}{% for i in range(99) %}{% set ns.l = [ns.l, ns.l] %}"
        "{% endfor %}{{ ns.l }}",
        "{{ ('a' * 100000).split('a') }}"}) {
    EXPECT_THAT(error_of(source, {}, {.steps = 100'000, .bytes = 1 << 20}), HasSubstr("; expected"))
        << source;
  }
  const std::string nested =
      "{% set ns = namespace(l=[]) %}{% for i in range(9999) %}{% set ns.l = [ns.l] %}{% endfor %}";
  EXPECT_THAT(error_of(nested), HasSubstr("lists within each other"));
}

// "aaa...ab" is almost everywhere in "aaa...a".
TEST(JinjaTemplate, LimitsTheTimeOfSearches) {
  for (const char* source :
       {"{{ b in a }}", "{{ a.find(b) }}", "{{ a.rfind('b' ~ a[:50000]) }}", "{{ a.count(b) }}",
        "{{ a.split(b) }}", "{{ a.replace(b, '') }}", "{{ a | trim('b' * 100000 ~ 'a') }}"}) {
    EXPECT_THAT(
        error_of("{% set a = 'a' * 100000 %}{% set b = a[:50000] ~ 'b' %}" + std::string(source),
                 {}, {.steps = 1'000'000}),
        HasSubstr("more than 1000000 steps"))
        << source;
  }
}

TEST(JinjaTemplate, NamesAVariableThatItCannotHold) {
  EXPECT_EQ(error_of("a", {{"x", {{"n", 18446744073709551615u}}}}),
            "m: chat: variable 'x': the number 18446744073709551615 is too large; expected at most "
            "9223372036854775807");
}

TEST(JinjaTemplate, LimitsTheNestingOfATemplate) {
  const auto repeated = [](const char* part, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += part;
    return out;
  };
  EXPECT_THAT(error_of("{{ " + repeated("(", 500) + repeated(")", 500) + " }}"),
              HasSubstr("nested more than"));
  EXPECT_THAT(error_of("{{ " + repeated("not ", 500) + "1 }}"), HasSubstr("nested more than"));
  EXPECT_THAT(error_of(repeated("{% if 1 %}", 500)), HasSubstr("nested more than"));
  EXPECT_THAT(error_of("{{ 1" + repeated(" + 1", 500) + " }}"), HasSubstr("levels"));
  EXPECT_THAT(error_of("{{ x" + repeated("|list", 500) + " }}"), HasSubstr("levels"));
}

// A namespace that holds itself and a macro that its own scope holds are freed: what
// LeakSanitizer sees.
TEST(JinjaTemplate, FreesCycles) {
  EXPECT_EQ(rendered("{% set ns = namespace() %}{% set ns.me = ns %}{% set ns.l = [ns] %}"
                     "{% macro f() %}x{% endmacro %}{% set ns.f = f %}{{ ns.me.f() }}")
                .text(),
            "x");
}

}  // namespace
}  // namespace weft::data::jinja
