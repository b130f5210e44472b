// Filters of sequences and dicts.
#include <algorithm>
#include <charconv>

#include "weft/data/jinja/arguments.h"
#include "weft/data/jinja/characters.h"
#include "weft/data/jinja/filters.h"
#include "weft/data/jinja/operators.h"
#include "weft/data/jinja/text_functions.h"
#include "weft/data/jinja/value_text.h"

namespace weft::data::jinja {
namespace {

// "a.b.0": the attribute of an attribute.
Value dotted_attribute(const Value& value, const Value& path, Runtime& runtime) {
  if (!is_given(&path)) return value;
  if (path.string() == nullptr) return item_of(value, path, runtime);
  std::string_view rest = path.string()->text.text();
  Value out = value;
  while (true) {
    const size_t dot = std::min(rest.find('.'), rest.size());
    const std::string_view part = rest.substr(0, dot);
    int64_t index = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool is_index = error == std::errc() && end == part.data() + part.size();
    out = item_of(out, is_index ? Value(index) : runtime.text(std::string(part)), runtime);
    if (dot == rest.size()) return out;
    rest.remove_prefix(dot + 1);
  }
}

// Those of map and select, to which none is empty too.
std::vector<Value> items_if_any(const Value& input, Runtime& runtime) {
  return is_true(input) ? items_of(input, runtime) : std::vector<Value>();
}

// What is compared: texts without regard to case.
Value without_case(const Value& value, bool keeps_case, Runtime& runtime) {
  if (keeps_case || value.string() == nullptr) return value;
  return runtime.text(in_case(value.string()->text, Case::kLower, runtime));
}

Value default_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const auto given = bind("default", arguments, {"default_value", "boolean"});
  const bool is_boolean = given[1] != nullptr && is_true(*given[1]);
  if (!input.is_undefined() && (!is_boolean || is_true(input))) return input;
  return given[0] == nullptr ? runtime.text("") : *given[0];
}

Value length(Runtime& runtime, const Value& input, const Arguments& arguments) {
  bind("length", arguments, {});
  if (input.is_undefined()) return int64_t{0};
  if (const String* text = input.string()) {
    runtime.use_scan(text->text.size());
    return character_count(text->text.text());
  }
  if (const Dict* dict = input.dict()) return std::ssize(dict->entries);
  if (input.sequence() == nullptr || input.is_sequence(SequenceKind::kGenerator)) {
    refuse("a {} has no length", type_name(input));
  }
  return std::ssize(input.sequence()->items);
}

Value first(Runtime& runtime, const Value& input, const Arguments& arguments) {
  bind("first", arguments, {});
  const std::vector<Value> items = items_of(input, runtime);
  return items.empty() ? Value::undefined("the first element") : items.front();
}

Value last(Runtime& runtime, const Value& input, const Arguments& arguments) {
  bind("last", arguments, {});
  if (input.is_sequence(SequenceKind::kGenerator)) refuse("a generator has no last element");
  const std::vector<Value> items = items_of(input, runtime);
  return items.empty() ? Value::undefined("the last element") : items.back();
}

Value join(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const auto given = bind("join", arguments, {"d", "attribute"});
  std::vector<MarkedText> parts;
  for (const Value& item : items_of(input, runtime)) {
    parts.push_back(
        str(given[1] == nullptr ? item : dotted_attribute(item, *given[1], runtime), runtime));
  }
  return runtime.text(
      joined(parts, given[0] == nullptr ? MarkedText() : str(*given[0], runtime), runtime));
}

Value list(Runtime& runtime, const Value& input, const Arguments& arguments) {
  bind("list", arguments, {});
  return runtime.sequence(items_of(input, runtime));
}

Value items(Runtime& runtime, const Value& input, const Arguments& arguments) {
  bind("items", arguments, {});
  std::vector<Value> out;
  if (input.dict() == nullptr && !input.is_undefined()) {
    refuse("items: expected a dict, got {}", type_name(input));
  }
  if (const Dict* dict = input.dict()) {
    for (const auto& [key, value] : dict->entries) {
      out.push_back(runtime.sequence({key, value}, SequenceKind::kTuple));
    }
  }
  return runtime.sequence(std::move(out), SequenceKind::kGenerator);
}

Value reverse(Runtime& runtime, const Value& input, const Arguments& arguments) {
  bind("reverse", arguments, {});
  if (input.string() != nullptr) {
    return slice_of(input, {Value::none(), Value::none(), Value(int64_t{-1})}, runtime);
  }
  std::vector<Value> items = items_of(input, runtime);
  std::ranges::reverse(items);
  return runtime.sequence(std::move(items), input.is_sequence(SequenceKind::kGenerator)
                                                ? SequenceKind::kList
                                                : SequenceKind::kGenerator);
}

// Values with what they are compared by, in the order of that.
using Keyed = std::vector<std::pair<Value, Value>>;
void sort_by_key(Keyed& values, bool reverse, Runtime& runtime) {
  std::ranges::stable_sort(values, [&](const auto& a, const auto& b) {
    return reverse ? compare(b.first, a.first, runtime) < 0
                   : compare(a.first, b.first, runtime) < 0;
  });
}

bool flag(const Value* value) { return value != nullptr && is_true(*value); }

Value sort(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const auto given = bind("sort", arguments, {"reverse", "case_sensitive", "attribute"});
  Keyed keyed;
  for (const Value& item : items_of(input, runtime)) {
    const Value key = given[2] == nullptr ? item : dotted_attribute(item, *given[2], runtime);
    keyed.emplace_back(without_case(key, flag(given[1]), runtime), item);
  }
  sort_by_key(keyed, flag(given[0]), runtime);
  std::vector<Value> out;
  for (auto& [key, item] : keyed) out.push_back(std::move(item));
  return runtime.sequence(std::move(out));
}

Value dictsort(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const auto given = bind("dictsort", arguments, {"case_sensitive", "by", "reverse"});
  require_defined(input);
  const Dict* dict = input.dict();
  if (dict == nullptr) refuse("dictsort: expected a dict, got {}", type_name(input));
  const std::string by = optional_text(given[1], "dictsort").value_or("key");
  if (by != "key" && by != "value") refuse("dictsort: by {}; expected key or value", quote(by));
  Keyed keyed;
  for (const auto& [key, value] : dict->entries) {
    keyed.emplace_back(without_case(by == "key" ? key : value, flag(given[0]), runtime),
                       runtime.sequence({key, value}, SequenceKind::kTuple));
  }
  sort_by_key(keyed, flag(given[2]), runtime);
  std::vector<Value> out;
  for (auto& [key, item] : keyed) out.push_back(std::move(item));
  return runtime.sequence(std::move(out));
}

template <bool kLargest>
Value extreme(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const auto given = bind(kLargest ? "max" : "min", arguments, {"case_sensitive", "attribute"});
  Value best, best_key;
  for (bool is_first = true; const Value& item : items_of(input, runtime)) {
    const Value key =
        without_case(given[1] == nullptr ? item : dotted_attribute(item, *given[1], runtime),
                     flag(given[0]), runtime);
    const int order = is_first ? 0 : compare(key, best_key, runtime);
    if (!is_first && (kLargest ? order <= 0 : order >= 0)) continue;
    best = item;
    best_key = key;
    is_first = false;
  }
  return best;
}

Value unique(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const auto given = bind("unique", arguments, {"case_sensitive", "attribute"});
  std::vector<Value> seen, out;
  for (const Value& item : items_of(input, runtime)) {
    const Value key =
        without_case(given[1] == nullptr ? item : dotted_attribute(item, *given[1], runtime),
                     flag(given[0]), runtime);
    if (std::ranges::any_of(seen, [&](const Value& x) { return equal(x, key, runtime); })) continue;
    seen.push_back(key);
    out.push_back(item);
  }
  return runtime.sequence(std::move(out), SequenceKind::kGenerator);
}

Value sum(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const auto given = bind("sum", arguments, {"attribute", "start"});
  Value out = given[1] == nullptr ? Value(int64_t{0}) : *given[1];
  for (const Value& item : items_of(input, runtime)) {
    const Value part = given[0] == nullptr ? item : dotted_attribute(item, *given[0], runtime);
    out = binary(BinaryOperator::kAdd, out, part, runtime);
  }
  return out;
}

Value map(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const bool has_attribute = arguments.values.empty();
  const auto given = has_attribute ? bind("map", arguments, {"attribute", "default"}, 1)
                                   : std::vector<const Value*>();
  if (has_attribute && arguments.named.empty()) refuse("map: expected a filter or an attribute");
  std::vector<Value> out;
  for (const Value& item : items_if_any(input, runtime)) {
    if (!has_attribute) {
      out.push_back(apply(find_filter, arguments, item, runtime));
      continue;
    }
    Value found = dotted_attribute(item, *given[0], runtime);
    if (found.is_undefined() && given[1] != nullptr) found = *given[1];
    out.push_back(std::move(found));
  }
  return runtime.sequence(std::move(out), SequenceKind::kGenerator);
}

// select, reject, selectattr, rejectattr: the elements that pass a test, or the others.
template <bool kPasses, bool kOfAttribute>
Value select(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Arguments test = arguments;
  Value attribute;
  if (kOfAttribute) {
    if (test.values.empty()) refuse("selectattr: expected an attribute");
    attribute = test.values.front();
    test.values.erase(test.values.begin());
  }
  std::vector<Value> out;
  for (const Value& item : items_if_any(input, runtime)) {
    const Value value = kOfAttribute ? dotted_attribute(item, attribute, runtime) : item;
    const bool passes =
        is_true(test.values.empty() ? value : apply(find_test, test, value, runtime));
    if (passes == kPasses) out.push_back(item);
  }
  return runtime.sequence(std::move(out), SequenceKind::kGenerator);
}

}  // namespace

Value apply(Builtin (*find)(std::string_view), const Arguments& name_and_arguments,
            const Value& input, Runtime& runtime) {
  runtime.use_steps();
  Arguments rest = name_and_arguments;
  const std::string name = text_argument(rest.values.front(), "map").text();
  rest.values.erase(rest.values.begin());
  const Builtin found = find(name);
  if (found == nullptr) refuse("{} is no filter or test that is supported", quote(name));
  return found(runtime, input, rest);
}

std::span<const NamedBuiltin> sequence_filters() {
  static constexpr NamedBuiltin kFilters[] = {
      {"count", length},
      {"d", default_filter},
      {"default", default_filter},
      {"dictsort", dictsort},
      {"first", first},
      {"items", items},
      {"join", join},
      {"last", last},
      {"length", length},
      {"list", list},
      {"map", map},
      {"max", extreme<true>},
      {"min", extreme<false>},
      {"reject", select<false, false>},
      {"rejectattr", select<false, true>},
      {"reverse", reverse},
      {"select", select<true, false>},
      {"selectattr", select<true, true>},
      {"sort", sort},
      {"sum", sum},
      {"unique", unique},
  };
  return kFilters;
}

}  // namespace weft::data::jinja
