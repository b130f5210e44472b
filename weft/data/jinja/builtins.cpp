#include "weft/data/jinja/builtins.h"

#include <algorithm>
#include <array>

#include "weft/data/jinja/arguments.h"
#include "weft/data/jinja/filters.h"
#include "weft/data/jinja/value_text.h"

namespace weft::data::jinja {
namespace {

Builtin find_in(std::span<const NamedBuiltin> all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &NamedBuiltin::name);
  return found == all.end() ? nullptr : found->call;
}

Value range(Runtime& runtime, const Arguments& arguments) {
  constexpr int64_t kMostNumbers = 100'000;  // as Jinja's sandbox
  const auto given = bind("range", arguments, {"start", "stop", "step"}, 1);
  const int64_t first = to_integer(*given[0], "range");
  const int64_t start = given[1] == nullptr ? 0 : first;
  const int64_t stop = given[1] == nullptr ? first : to_integer(*given[1], "range");
  const int64_t step = integer_or(given[2], 1, "range");
  if (step == 0) refuse("range: a step of 0");
  std::vector<Value> out;
  for (int64_t i = start; step > 0 ? i < stop : i > stop;) {
    if (std::ssize(out) == kMostNumbers) refuse("range: more than {} numbers", kMostNumbers);
    out.emplace_back(i);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return runtime.sequence(std::move(out), SequenceKind::kRange);
}

// dict(other, name=value)
std::vector<std::pair<Value, Value>> entries_of(Runtime& runtime, const Arguments& arguments) {
  std::vector<std::pair<Value, Value>> out;
  if (arguments.values.size() > 1) refuse("dict: expected at most one value");
  if (!arguments.values.empty()) {
    const Dict* other = arguments.values.front().dict();
    if (other == nullptr) {
      refuse("dict: expected a dict, got {}", type_name(arguments.values.front()));
    }
    out = other->entries;
  }
  for (const auto& [name, value] : arguments.named) {
    const auto same = std::ranges::find_if(out, [&key = name](const auto& entry) {
      return entry.first.string() != nullptr && entry.first.string()->text.text() == key;
    });
    if (same != out.end()) {
      same->second = value;
    } else {
      out.emplace_back(runtime.text(name), value);
    }
  }
  return out;
}

Value dict(Runtime& runtime, const Arguments& arguments) {
  return runtime.dict(entries_of(runtime, arguments));
}

Value name_space(Runtime& runtime, const Arguments& arguments) {
  std::map<std::string, Value, std::less<>> attributes;
  for (const auto& [key, value] : entries_of(runtime, arguments)) {
    attributes.insert_or_assign(text_argument(key, "namespace").text(), value);
  }
  return runtime.make_namespace(std::move(attributes));
}

Value raise_exception(Runtime& runtime, const Arguments& arguments) {
  const auto given = bind("raise_exception", arguments, {"message"}, 1);
  refuse("the template refuses: {}", str(*given[0], runtime).text());
}

Value strftime_now(Runtime& runtime, const Arguments& arguments) {
  const auto given = bind("strftime_now", arguments, {"format"}, 1);
  const std::string& format = text_argument(*given[0], "strftime_now").text();
  std::array<char, 256> out{};
  const size_t size = std::strftime(out.data(), out.size(), format.c_str(), &runtime.now());
  if (size == 0 && !format.empty()) refuse("strftime_now: {} makes no text", quote(format));
  return runtime.text(std::string(out.data(), size));
}

}  // namespace

Builtin find_filter(std::string_view name) {
  const Builtin found = find_in(text_filters(), name);
  return found != nullptr ? found : find_in(sequence_filters(), name);
}

Builtin find_test(std::string_view name) { return find_in(value_tests(), name); }

std::vector<std::pair<std::string, Value>> global_functions(Runtime& runtime) {
  using Function = Value (*)(Runtime&, const Arguments&);
  constexpr std::pair<const char*, Function> kFunctions[] = {{"range", range},
                                                             {"dict", dict},
                                                             {"namespace", name_space},
                                                             {"raise_exception", raise_exception},
                                                             {"strftime_now", strftime_now}};
  std::vector<std::pair<std::string, Value>> out;
  for (const auto& [name, function] : kFunctions) {
    const auto call = [function = function, &runtime](const Arguments& arguments) {
      return function(runtime, arguments);
    };
    out.emplace_back(name, Value::Variant(std::make_shared<const Callable>(Callable{name, call})));
  }
  return out;
}

}  // namespace weft::data::jinja
