// Attributes and elements of values, and the methods of Python's types.
#include <algorithm>

#include "weft/data/jinja/arguments.h"
#include "weft/data/jinja/builtins.h"
#include "weft/data/jinja/characters.h"
#include "weft/data/jinja/text_functions.h"
#include "weft/data/jinja/value_text.h"

namespace weft::data::jinja {
namespace {

using Method = Value (*)(Runtime& runtime, const Value& self, const Arguments& arguments);
struct NamedMethod {
  std::string_view name;
  Method call;
};

const MarkedText& self_text(const Value& self) { return self.string()->text; }

Value like_self(Runtime& runtime, const Value& self, MarkedText text) {
  return runtime.text(std::move(text), self.string()->is_markup);
}

void refuse_markup(const Value& self, std::string_view method) {
  if (self.string()->is_markup) refuse("{} of a text that is marked as safe", method);
}

template <Side kSide>
Value strip_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const auto given = bind("strip", arguments, {"chars"});
  return like_self(runtime, self,
                   stripped(self_text(self), optional_text(given[0], "strip"), kSide, runtime));
}

template <bool kFromRight>
Value split_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const auto given = bind("split", arguments, {"sep", "maxsplit"});
  return runtime.sequence(split_text(*self.string(),
                                     {.separator = optional_text(given[0], "split"),
                                      .most = integer_or(given[1], -1, "split"),
                                      .from_right = kFromRight},
                                     runtime));
}

Value splitlines_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  bind("splitlines", arguments, {});
  std::vector<Value> out;
  for (MarkedText& line : lines_of(self_text(self), runtime)) {
    out.push_back(like_self(runtime, self, std::move(line)));
  }
  return runtime.sequence(std::move(out));
}

template <Case kCase>
Value case_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  bind("a change of case", arguments, {});
  return like_self(runtime, self, in_case(self_text(self), kCase, runtime));
}

template <bool kAtStart>
Value affix_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const std::string_view name = kAtStart ? "startswith" : "endswith";
  const auto given = bind(name, arguments, {"affix"}, 1);
  const auto has = [&](const Value& affix) {
    const std::string& text = text_argument(affix, name).text();
    runtime.use_scan(text.size());
    return kAtStart ? self_text(self).text().starts_with(text)
                    : self_text(self).text().ends_with(text);
  };
  if (!given[0]->is_sequence(SequenceKind::kTuple)) return has(*given[0]);
  return std::ranges::any_of(given[0]->sequence()->items, has);
}

template <bool kAtStart>
Value remove_affix_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const auto given = bind("removeprefix", arguments, {"affix"}, 1);
  const std::string& affix = text_argument(*given[0], "removeprefix").text();
  const MarkedText& text = self_text(self);
  runtime.use_bytes(text.size());
  const bool has = kAtStart ? text.text().starts_with(affix) : text.text().ends_with(affix);
  const size_t size = has ? affix.size() : 0;
  return like_self(runtime, self,
                   kAtStart ? text.part(size, text.size()) : text.part(0, text.size() - size));
}

Value replace_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  refuse_markup(self, "replace()");
  const auto given = bind("replace", arguments, {"old", "new", "count"}, 2);
  return runtime.text(replaced(self_text(self), text_argument(*given[0], "replace").text(),
                               text_argument(*given[1], "replace"),
                               integer_or(given[2], -1, "replace"), runtime));
}

Value join_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  refuse_markup(self, "join()");
  const auto given = bind("join", arguments, {"iterable"}, 1);
  std::vector<MarkedText> parts;
  for (const Value& item : items_of(*given[0], runtime)) {
    runtime.use_bytes(sizeof(MarkedText) + text_argument(item, "join").size());
    parts.push_back(text_argument(item, "join"));
  }
  return runtime.text(joined(parts, self_text(self), runtime));
}

Value format_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  refuse_markup(self, "format()");
  return runtime.text(brace_formatted(self_text(self), arguments, runtime));
}

template <bool kFromRight, bool kMustExist>
Value find_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const auto given = bind("find", arguments, {"sub"}, 1);
  const std::string &text = self_text(self).text(), &part = text_argument(*given[0], "find").text();
  runtime.use_search(text.size(), part.size());
  const size_t found = kFromRight ? text.rfind(part) : text.find(part);
  if (found == text.npos) {
    if (kMustExist) refuse("{} is not in the text", quote(part));
    return int64_t{-1};
  }
  return character_count(std::string_view(text).substr(0, found));
}

Value count_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const auto given = bind("count", arguments, {"sub"}, 1);
  const std::string &text = self_text(self).text(),
                    &part = text_argument(*given[0], "count").text();
  runtime.use_search(text.size(), part.size());
  if (part.empty()) return character_count(text) + 1;
  int64_t count = 0;
  for (size_t i = 0; (i = text.find(part, i)) != text.npos; i += part.size()) ++count;
  return count;
}

// Whether there is a character, and each is one of these, all of ASCII.
template <bool (*kIs)(char)>
Value all_are(Runtime& runtime, const Value& self, const Arguments& arguments) {
  bind("a test of characters", arguments, {});
  const std::string& text = self_text(self).text();
  runtime.use_scan(text.size());
  if (std::ranges::any_of(text, [](char c) { return (c & 0x80) != 0; })) {
    refuse("a test of the characters of {}, which are not all of ASCII", quote(text));
  }
  return !text.empty() && std::ranges::all_of(text, kIs);
}
bool is_digit_byte(char c) { return c >= '0' && c <= '9'; }
bool is_letter_byte(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_alphanumeric_byte(char c) { return is_digit_byte(c) || is_letter_byte(c); }
bool is_space_byte(char c) { return is_python_space(static_cast<unsigned char>(c)); }

template <Side kSpaces>
Value pad_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const auto given = bind("ljust", arguments, {"width"}, 1);
  return like_self(runtime, self,
                   padded(self_text(self), to_integer(*given[0], "ljust"), kSpaces, runtime));
}

constexpr NamedMethod kTextMethods[] = {
    {"strip", strip_method<Side::kBoth>},
    {"lstrip", strip_method<Side::kLeft>},
    {"rstrip", strip_method<Side::kRight>},
    {"split", split_method<false>},
    {"rsplit", split_method<true>},
    {"splitlines", splitlines_method},
    {"lower", case_method<Case::kLower>},
    {"upper", case_method<Case::kUpper>},
    {"capitalize", case_method<Case::kCapitalised>},
    {"title", case_method<Case::kTitle>},
    {"startswith", affix_method<true>},
    {"endswith", affix_method<false>},
    {"removeprefix", remove_affix_method<true>},
    {"removesuffix", remove_affix_method<false>},
    {"replace", replace_method},
    {"join", join_method},
    {"format", format_method},
    {"find", find_method<false, false>},
    {"rfind", find_method<true, false>},
    {"index", find_method<false, true>},
    {"rindex", find_method<true, true>},
    {"count", count_method},
    {"isdigit", all_are<is_digit_byte>},
    {"isdecimal", all_are<is_digit_byte>},
    {"isnumeric", all_are<is_digit_byte>},
    {"isalpha", all_are<is_letter_byte>},
    {"isalnum", all_are<is_alphanumeric_byte>},
    {"isspace", all_are<is_space_byte>},
    {"center", pad_method<Side::kBoth>},
    {"ljust", pad_method<Side::kRight>},
    {"rjust", pad_method<Side::kLeft>},
};

Value get_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const auto given = bind("get", arguments, {"key", "default"}, 1);
  const Value* found = find(*self.dict(), *given[0], runtime);
  if (found != nullptr) return *found;
  return given[1] == nullptr ? Value::none() : *given[1];
}

Value items_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  bind("items", arguments, {});
  std::vector<Value> out;
  for (const auto& [key, value] : self.dict()->entries) {
    out.push_back(runtime.sequence({key, value}, SequenceKind::kTuple));
  }
  return runtime.sequence(std::move(out), SequenceKind::kView);
}

template <bool kKeys>
Value keys_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  bind(kKeys ? "keys" : "values", arguments, {});
  std::vector<Value> out;
  for (const auto& [key, value] : self.dict()->entries) out.push_back(kKeys ? key : value);
  return runtime.sequence(std::move(out), SequenceKind::kView);
}

Value same_method(Runtime&, const Value& self, const Arguments& arguments) {
  bind("copy", arguments, {});
  return self;
}

constexpr NamedMethod kDictMethods[] = {{"get", get_method},
                                        {"items", items_method},
                                        {"keys", keys_method<true>},
                                        {"values", keys_method<false>},
                                        {"copy", same_method}};

Value item_count_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const auto given = bind("count", arguments, {"value"}, 1);
  return static_cast<int64_t>(std::ranges::count_if(
      self.sequence()->items, [&](const Value& item) { return equal(item, *given[0], runtime); }));
}

Value item_index_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const auto given = bind("index", arguments, {"value"}, 1);
  const auto& items = self.sequence()->items;
  const auto found =
      std::ranges::find_if(items, [&](const Value& x) { return equal(x, *given[0], runtime); });
  if (found == items.end()) refuse("index(): the value is not in the list");
  return static_cast<int64_t>(found - items.begin());
}

constexpr NamedMethod kListMethods[] = {
    {"count", item_count_method}, {"index", item_index_method}, {"copy", same_method}};

// Methods that change their object, which Transformers' sandbox forbids.
constexpr std::string_view kForbiddenOfDicts[] = {"clear", "pop", "popitem", "setdefault",
                                                  "update"};
constexpr std::string_view kForbiddenOfLists[] = {"append", "clear",  "pop",  "reverse",
                                                  "insert", "extend", "sort", "remove"};

Value forbidden(std::string_view name) {
  return Value::Variant(Undefined{std::make_shared<const std::string>(name), true});
}

bool is_in(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The method of this name bound to its object; undefined if there is none.
Value method_of(const Value& object, std::string_view name, Runtime& runtime) {
  std::span<const NamedMethod> methods;
  if (object.string() != nullptr) {
    methods = kTextMethods;
  } else if (object.dict() != nullptr) {
    methods = kDictMethods;
    if (is_in(kForbiddenOfDicts, name)) return forbidden(name);
  } else if (object.is_sequence(SequenceKind::kList)) {
    methods = kListMethods;
    if (is_in(kForbiddenOfLists, name)) return forbidden(name);
  } else if (object.is_sequence(SequenceKind::kTuple)) {
    methods = std::span(kListMethods).first(2);
  }
  const auto found = std::ranges::find(methods, name, &NamedMethod::name);
  if (found == methods.end()) return {};
  runtime.use_bytes(sizeof(Callable) + sizeof(Value));
  const auto call = [method = found->call, object, &runtime](const Arguments& arguments) {
    return method(runtime, object, arguments);
  };
  return Value::Variant(std::make_shared<const Callable>(Callable{std::string(name), call}));
}

Value loop_attribute(const Loop& loop, std::string_view name) {
  const auto count = std::ssize(loop.items->items);
  const auto index = static_cast<int64_t>(loop.index);
  const auto item = [&](int64_t i, std::string_view what) {
    return i < 0 || i >= count ? Value::undefined(what) : loop.items->items[static_cast<size_t>(i)];
  };
  if (name == "index") return index + 1;
  if (name == "index0") return index;
  if (name == "revindex") return count - index;
  if (name == "revindex0") return count - index - 1;
  if (name == "first") return index == 0;
  if (name == "last") return index == count - 1;
  if (name == "length") return count;
  if (name == "depth") return int64_t{1};  // of recursive loops only
  if (name == "depth0") return int64_t{0};
  if (name == "previtem") return item(index - 1, name);
  if (name == "nextitem") return item(index + 1, name);
  return Value::undefined(name);
}

Value loop_method(const Value& self, std::string_view name, Runtime& runtime) {
  const auto call = [self, &runtime, cycles = name == "cycle"](const Arguments& arguments) {
    Loop& loop = *self.loop();
    if (cycles) {
      if (arguments.values.empty()) refuse("cycle: expected a value");
      return arguments.values[loop.index % arguments.values.size()];
    }
    const bool is_same =
        std::ranges::equal(loop.last_changed, arguments.values,
                           [&](const Value& a, const Value& b) { return equal(a, b, runtime); });
    const bool is_first = !std::exchange(loop.has_changed, true);
    if (is_first) runtime.keep(*self.get_if<std::shared_ptr<Loop>>());
    loop.last_changed = arguments.values;
    return Value(is_first || !is_same);
  };
  return Value::Variant(std::make_shared<const Callable>(Callable{std::string(name), call}));
}

Value sequence_item(const Sequence& sequence, const Value& key) {
  if (!key.is<int64_t>() && !key.is<bool>()) return {};
  const int64_t count = std::ssize(sequence.items);
  int64_t i = to_integer(key, "index");
  if (i < 0) i += count;
  return i < 0 || i >= count ? Value() : sequence.items[static_cast<size_t>(i)];
}

Value text_item(const String& text, const Value& key, Runtime& runtime) {
  if (!key.is<int64_t>() && !key.is<bool>()) return {};
  const std::string& all = text.text.text();
  runtime.use_scan(all.size());
  int64_t i = to_integer(key, "index");
  if (i < 0) i += character_count(all);
  const size_t begin = i < 0 ? all.size() : byte_offset(all, i);
  if (begin == all.size()) return {};
  const size_t end = begin + byte_offset(std::string_view(all).substr(begin), 1);
  return runtime.text(text.text.part(begin, end), text.is_markup);
}

Value plain_item(const Value& object, const Value& key, Runtime& runtime) {
  if (const Dict* dict = object.dict()) {
    const Value* found = find(*dict, key, runtime);
    return found == nullptr ? Value() : *found;
  }
  if (const String* text = object.string()) return text_item(*text, key, runtime);
  const Sequence* sequence = object.sequence();
  const bool has_items = sequence != nullptr && sequence->kind != SequenceKind::kView &&
                         sequence->kind != SequenceKind::kGenerator;
  return has_items ? sequence_item(*sequence, key) : Value();
}

Value named(Value value, std::string_view name) {
  const bool is_missing = value.is_undefined() && value.get_if<Undefined>()->name == nullptr;
  return is_missing ? Value::undefined(name) : std::move(value);
}

}  // namespace

Value attribute_of(const Value& object, std::string_view name, Runtime& runtime) {
  require_defined(object);
  if (const Namespace* space = object.name_space()) {
    const auto found = space->attributes.find(name);
    return found == space->attributes.end() ? Value::undefined(name) : found->second;
  }
  if (const Loop* loop = object.loop()) {
    const bool is_method = name == "cycle" || name == "changed";
    return is_method ? loop_method(object, name, runtime) : loop_attribute(*loop, name);
  }
  Value method = method_of(object, name, runtime);
  if (!method.is_undefined() || method.get_if<Undefined>()->is_forbidden) return method;
  if (const Dict* dict = object.dict()) {
    runtime.use_steps(std::ssize(dict->entries) / 8);
    const Value* found = find(*dict, name);
    if (found != nullptr) return *found;
  }
  return Value::undefined(name);
}

Value item_of(const Value& object, const Value& key, Runtime& runtime) {
  require_defined(object);
  const String* text = key.string();
  const std::string name = text != nullptr ? text->text.text() : "an element";
  Value found = plain_item(object, key, runtime);
  if (!found.is_undefined() || text == nullptr) return named(std::move(found), name);
  if (object.dict() != nullptr && find(*object.dict(), name) != nullptr) return found;
  return named(object.name_space() != nullptr || object.loop() != nullptr
                   ? attribute_of(object, name, runtime)
                   : method_of(object, name, runtime),
               name);
}

}  // namespace weft::data::jinja
