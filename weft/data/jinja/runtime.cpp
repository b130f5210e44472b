#include "weft/data/jinja/runtime.h"

#include <algorithm>

namespace weft::data::jinja {

Runtime::~Runtime() {
  for (const auto& one : namespaces_) one->attributes.clear();
  for (const auto& one : loops_) one->last_changed.clear();
}

void Runtime::use_steps(int64_t count) {
  steps_ += count;
  if (steps_ > limits_.steps) {
    refuse("takes more than {} steps; expected a template that ends", limits_.steps);
  }
}

void Runtime::use_bytes(size_t count) {
  if (count > static_cast<size_t>(limits_.bytes) ||
      (bytes_ += static_cast<int64_t>(count)) > limits_.bytes) {
    refuse("makes more than {} bytes; expected less", limits_.bytes);
  }
}

int Runtime::checked_depth(int inner) const {
  if (inner >= limits_.value_depth) {
    refuse("more than {} lists within each other; expected fewer", limits_.value_depth);
  }
  return inner + 1;
}

Value Runtime::text(MarkedText text, bool is_markup) {
  constexpr size_t kOverhead = sizeof(String) + 32;
  use_bytes(kOverhead + text.typed().size() * sizeof(ByteRange));
  return Value::Variant(std::make_shared<const String>(String{std::move(text), is_markup}));
}

Value Runtime::sequence(std::vector<Value> items, SequenceKind kind) {
  use_bytes(sizeof(Sequence) + items.size() * sizeof(Value));
  int inner = 0;
  for (const Value& item : items) inner = std::max(inner, depth_of(item));
  return Value::Variant(std::make_shared<const Sequence>(
      Sequence{.kind = kind, .items = std::move(items), .depth = checked_depth(inner)}));
}

Value Runtime::dict(std::vector<std::pair<Value, Value>> entries) {
  use_bytes(sizeof(Dict) + entries.size() * 2 * sizeof(Value));
  int inner = 0;
  for (const auto& [key, value] : entries) {
    inner = std::max({inner, depth_of(key), depth_of(value)});
  }
  return Value::Variant(std::make_shared<const Dict>(
      Dict{.entries = std::move(entries), .depth = checked_depth(inner)}));
}

Value Runtime::make_namespace(std::map<std::string, Value, std::less<>> attributes) {
  constexpr size_t kOverhead = 128;
  use_bytes(kOverhead * (1 + attributes.size()));
  namespaces_.push_back(std::make_shared<Namespace>(Namespace{std::move(attributes)}));
  return Value::Variant(namespaces_.back());
}

void TextBuilder::fill(size_t count, std::string_view text) {
  if (!text.empty() && count > SIZE_MAX / text.size()) refuse("text of {} parts", count);
  runtime_.use_bytes(count * text.size());
  std::string all;
  all.reserve(count * text.size());
  for (size_t i = 0; i < count; ++i) all += text;
  text_.append(all);
}

}  // namespace weft::data::jinja
