#include "weft/data/jinja/value.h"

#include <algorithm>

#include "weft/data/jinja/characters.h"
#include "weft/data/jinja/runtime.h"
#include "weft/data/jinja/value_text.h"

namespace weft::data::jinja {
namespace {

bool equal_items(const std::vector<Value>& a, const std::vector<Value>& b, Runtime& runtime) {
  return std::ranges::equal(a, b,
                            [&](const Value& x, const Value& y) { return equal(x, y, runtime); });
}

bool equal_dicts(const Dict& a, const Dict& b, Runtime& runtime) {
  if (a.entries.size() != b.entries.size()) return false;
  return std::ranges::all_of(a.entries, [&](const auto& entry) {
    const Value* other = find(b, entry.first, runtime);
    return other != nullptr && equal(entry.second, *other, runtime);
  });
}

int sign_of(auto a, auto b) { return a < b ? -1 : b < a ? 1 : 0; }

}  // namespace

Value Value::undefined(std::string_view name) {
  return Variant(Undefined{std::make_shared<const std::string>(name)});
}

bool is_true(const Value& value) {
  if (value.is_undefined() || value.is_none()) return false;
  if (const auto* flag = value.get_if<bool>()) return *flag;
  if (is_number(value)) return to_double(value) != 0;
  if (const String* text = value.string()) return !text->text.empty();
  if (value.is_sequence(SequenceKind::kGenerator)) return true;
  if (const Sequence* sequence = value.sequence()) return !sequence->items.empty();
  if (const Dict* dict = value.dict()) return !dict->entries.empty();
  return true;
}

std::string_view type_name(const Value& value) {
  if (value.is_undefined()) return "undefined";
  if (value.is_none()) return "None";
  if (value.is<bool>()) return "bool";
  if (value.is<int64_t>()) return "int";
  if (value.is<double>()) return "float";
  if (value.string() != nullptr) return "str";
  if (value.dict() != nullptr) return "dict";
  if (value.name_space() != nullptr) return "namespace";
  if (value.callable() != nullptr) return "function";
  if (value.loop() != nullptr) return "loop";
  switch (value.sequence()->kind) {
    case SequenceKind::kList: return "list";
    case SequenceKind::kTuple: return "tuple";
    case SequenceKind::kRange: return "range";
    case SequenceKind::kView: return "dict view";
    case SequenceKind::kGenerator: return "generator";
  }
  return "value";
}

int depth_of(const Value& value) {
  if (const Sequence* sequence = value.sequence()) return sequence->depth;
  if (const Dict* dict = value.dict()) return dict->depth;
  return 0;
}

bool is_number(const Value& value) {
  return value.is<bool>() || value.is<int64_t>() || value.is<double>();
}

double to_double(const Value& value) {
  if (const auto* number = value.get_if<double>()) return *number;
  if (const auto* number = value.get_if<int64_t>()) return static_cast<double>(*number);
  return *value.get_if<bool>() ? 1 : 0;
}

int64_t to_integer(const Value& value, std::string_view name) {
  if (const auto* number = value.get_if<int64_t>()) return *number;
  if (const auto* flag = value.get_if<bool>()) return *flag ? 1 : 0;
  refuse("{}: expected a whole number, got {}", name, type_name(value));
}

bool equal(const Value& a, const Value& b, Runtime& runtime) {
  runtime.use_steps();
  if (is_number(a) && is_number(b)) {
    if (a.is<double>() || b.is<double>()) return to_double(a) == to_double(b);
    return to_integer(a, "==") == to_integer(b, "==");
  }
  if (a.string() != nullptr && b.string() != nullptr) {
    runtime.use_scan(a.string()->text.size());
    return a.string()->text.text() == b.string()->text.text();
  }
  if (a.sequence() != nullptr && b.sequence() != nullptr) {
    if (a.sequence() == b.sequence()) return true;
    return a.sequence()->kind == b.sequence()->kind && !a.is_sequence(SequenceKind::kGenerator) &&
           equal_items(a.sequence()->items, b.sequence()->items, runtime);
  }
  if (a.dict() != nullptr && b.dict() != nullptr) {
    return a.dict() == b.dict() || equal_dicts(*a.dict(), *b.dict(), runtime);
  }
  if (a.variant().index() != b.variant().index()) return false;
  return a.is_undefined() || a.is_none() ||
         (a.name_space() == b.name_space() && a.callable() == b.callable() && a.loop() == b.loop());
}

int compare(const Value& a, const Value& b, Runtime& runtime) {
  runtime.use_steps();
  if (is_number(a) && is_number(b)) {
    if (a.is<double>() || b.is<double>()) return sign_of(to_double(a), to_double(b));
    return sign_of(to_integer(a, "<"), to_integer(b, "<"));
  }
  if (a.string() != nullptr && b.string() != nullptr) {
    runtime.use_scan(a.string()->text.size());
    return sign_of(a.string()->text.text(), b.string()->text.text());  // in order of code points
  }
  const Sequence *left = a.sequence(), *right = b.sequence();
  if (left == nullptr || right == nullptr || left->kind != right->kind ||
      (left->kind != SequenceKind::kList && left->kind != SequenceKind::kTuple)) {
    refuse("{} and {} have no order", type_name(a), type_name(b));
  }
  const size_t common = std::min(left->items.size(), right->items.size());
  for (size_t i = 0; i < common; ++i) {
    if (equal(left->items[i], right->items[i], runtime)) continue;
    return compare(left->items[i], right->items[i], runtime);
  }
  return sign_of(left->items.size(), right->items.size());
}

const Value* find(const Dict& dict, const Value& key, Runtime& runtime) {
  for (const auto& [name, value] : dict.entries) {
    if (equal(name, key, runtime)) return &value;
  }
  return nullptr;
}

const Value* find(const Dict& dict, std::string_view key) {
  for (const auto& [name, value] : dict.entries) {
    if (name.string() != nullptr && name.string()->text.text() == key) return &value;
  }
  return nullptr;
}

std::vector<Value> items_of(const Value& value, Runtime& runtime) {
  std::vector<Value> out;
  if (value.is_undefined()) return out;
  if (const Sequence* sequence = value.sequence()) {
    if (std::exchange(sequence->is_exhausted, sequence->kind == SequenceKind::kGenerator))
      return out;
    out = sequence->items;
  } else if (const Dict* dict = value.dict()) {
    for (const auto& entry : dict->entries) out.push_back(entry.first);
  } else if (const String* text = value.string()) {
    runtime.use_bytes(text->text.size() * sizeof(String));
    for_each_character(text->text, [&](size_t begin, size_t end) {
      out.push_back(runtime.text(text->text.part(begin, end)));
    });
  } else {
    refuse("{} cannot be iterated over", type_name(value));
  }
  runtime.use_bytes(out.size() * sizeof(Value));
  return out;
}

}  // namespace weft::data::jinja
