#include "weft/data/jinja/operators.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/data/jinja/characters.h"
#include "weft/data/jinja/text_functions.h"
#include "weft/data/jinja/value_text.h"

namespace weft::data::jinja {
namespace {

constexpr std::string_view kOperatorNames[] = {"+", "-", "*", "/", "//", "%", "**"};

[[noreturn]] void refuse_operands(BinaryOperator kind, const Value& left, const Value& right) {
  require_defined(left);
  require_defined(right);
  refuse("{} {} {} has no meaning", type_name(left), kOperatorNames[static_cast<size_t>(kind)],
         type_name(right));
}

[[noreturn]] void refuse_overflow() { refuse("a whole number of more than 64 bits"); }

int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == -1) {
    if (a == std::numeric_limits<int64_t>::min()) refuse_overflow();
    return -a;
  }
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

Value power(int64_t base, int64_t exponent) {
  if (exponent < 0) return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  int64_t out = 1;
  for (; exponent > 0 && out != 0; --exponent) {
    if (__builtin_mul_overflow(out, base, &out)) refuse_overflow();
    if (base == 1 || base == 0) break;
    if (base == -1) return exponent % 2 == 1 ? int64_t{-1} : int64_t{1};
  }
  return out;
}

Value integer_result(BinaryOperator kind, int64_t a, int64_t b) {
  const bool divides = kind == BinaryOperator::kDivide || kind == BinaryOperator::kFloorDivide ||
                       kind == BinaryOperator::kModulo;
  if (divides && b == 0) refuse("a division by zero");
  int64_t out = 0;
  bool overflows = false;
  switch (kind) {
    case BinaryOperator::kAdd: overflows = __builtin_add_overflow(a, b, &out); break;
    case BinaryOperator::kSubtract: overflows = __builtin_sub_overflow(a, b, &out); break;
    case BinaryOperator::kMultiply: overflows = __builtin_mul_overflow(a, b, &out); break;
    case BinaryOperator::kDivide: return static_cast<double>(a) / static_cast<double>(b);
    case BinaryOperator::kFloorDivide: return floor_quotient(a, b);
    case BinaryOperator::kModulo: return b == -1 ? int64_t{0} : a - floor_quotient(a, b) * b;
    case BinaryOperator::kPower: return power(a, b);
  }
  if (overflows) refuse_overflow();
  return out;
}

double real_modulo(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Value real_result(BinaryOperator kind, double a, double b) {
  const bool divides = kind == BinaryOperator::kDivide || kind == BinaryOperator::kFloorDivide ||
                       kind == BinaryOperator::kModulo;
  if (divides && b == 0) refuse("a division by zero");
  switch (kind) {
    case BinaryOperator::kAdd: return a + b;
    case BinaryOperator::kSubtract: return a - b;
    case BinaryOperator::kMultiply: return a * b;
    case BinaryOperator::kDivide: return a / b;
    case BinaryOperator::kFloorDivide: return std::floor(a / b);
    case BinaryOperator::kModulo: return real_modulo(a, b);
    case BinaryOperator::kPower: return std::pow(a, b);
  }
  return {};
}

// Markup escapes what is added to it.
Value text_sum(const String& left, const String& right, Runtime& runtime) {
  TextBuilder out(runtime);
  const bool is_markup = left.is_markup || right.is_markup;
  const auto add = [&](const String& part) {
    const bool escapes = is_markup && !part.is_markup;
    out.append(escapes ? html_escaped(part.text, runtime) : part.text);
  };
  add(left);
  add(right);
  return runtime.text(out.take(), is_markup);
}

Value sequence_sum(const Sequence& left, const Sequence& right, Runtime& runtime) {
  std::vector<Value> items = left.items;
  items.insert(items.end(), right.items.begin(), right.items.end());
  return runtime.sequence(std::move(items), left.kind);
}

// A text or a list, several times.
Value repeated(const Value& value, int64_t times, Runtime& runtime) {
  const auto count = static_cast<size_t>(std::max<int64_t>(times, 0));
  if (const String* text = value.string()) {
    TextBuilder out(runtime);
    if (!text->text.empty()) {
      runtime.use_steps(static_cast<int64_t>(std::min<size_t>(count, INT32_MAX)));
      for (size_t i = 0; i < count; ++i) out.append(text->text);
    }
    return runtime.text(out.take(), text->is_markup);
  }
  const Sequence& sequence = *value.sequence();
  std::vector<Value> items;
  for (size_t i = 0; i < count && !sequence.items.empty(); ++i) {
    runtime.use_bytes(sequence.items.size() * sizeof(Value));
    items.insert(items.end(), sequence.items.begin(), sequence.items.end());
  }
  return runtime.sequence(std::move(items), sequence.kind);
}

bool is_repeatable(const Value& value) {
  return value.string() != nullptr || value.is_sequence(SequenceKind::kList) ||
         value.is_sequence(SequenceKind::kTuple);
}

bool is_whole(const Value& value) { return value.is<int64_t>() || value.is<bool>(); }

// The elements start, start + step, ... that a slice takes.
struct SliceRange {
  int64_t start = 0, step = 1, count = 0;
};

SliceRange slice_range(const SliceBounds& bounds, int64_t size) {
  const int64_t step = bounds.step.is_none() ? 1 : to_integer(bounds.step, "slice");
  if (step == 0) refuse("a slice with step 0");
  const int64_t least = step > 0 ? 0 : -1, most = step > 0 ? size : size - 1;
  const auto bound = [&](const Value& value, int64_t missing) {
    if (value.is_none()) return missing;
    const int64_t i = to_integer(value, "slice");
    return std::clamp(i < 0 ? std::max(i, -size - 1) + size : i, least, most);
  };
  const int64_t start = bound(bounds.start, step > 0 ? 0 : size - 1);
  const int64_t stop = bound(bounds.stop, step > 0 ? size : -1);
  const int64_t distance = step > 0 ? stop - start : start - stop;
  if (distance <= 0) return {};
  const auto stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  return {start, step, static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / stride) + 1};
}

Value text_slice(const String& text, const SliceBounds& bounds, Runtime& runtime) {
  const std::string_view all = text.text.text();
  runtime.use_scan(all.size());
  const SliceRange range = slice_range(bounds, character_count(all));
  TextBuilder out(runtime);
  if (range.step == 1) {
    const size_t begin = byte_offset(all, range.start);
    out.append(text.text, begin, begin + byte_offset(all.substr(begin), range.count));
    return runtime.text(out.take(), text.is_markup);
  }
  std::vector<std::pair<size_t, size_t>> characters;
  runtime.use_bytes(all.size() * sizeof(characters[0]));
  for_each_character(text.text, [&](size_t a, size_t b) { characters.emplace_back(a, b); });
  for (int64_t i = 0; i < range.count; ++i) {
    const auto [begin, end] = characters[static_cast<size_t>(range.start + i * range.step)];
    out.append(text.text, begin, end);
  }
  return runtime.text(out.take(), text.is_markup);
}

}  // namespace

Value binary(BinaryOperator kind, const Value& left, const Value& right, Runtime& runtime) {
  if (is_number(left) && is_number(right)) {
    if (left.is<double>() || right.is<double>()) {
      return real_result(kind, to_double(left), to_double(right));
    }
    return integer_result(kind, to_integer(left, "+"), to_integer(right, "+"));
  }
  if (kind == BinaryOperator::kAdd) {
    if (left.string() != nullptr && right.string() != nullptr) {
      return text_sum(*left.string(), *right.string(), runtime);
    }
    const bool same_kind = is_repeatable(left) && is_repeatable(right) &&
                           left.sequence() != nullptr && right.sequence() != nullptr &&
                           left.sequence()->kind == right.sequence()->kind;
    if (same_kind) return sequence_sum(*left.sequence(), *right.sequence(), runtime);
  }
  if (kind == BinaryOperator::kMultiply) {
    if (is_repeatable(left) && is_whole(right)) {
      return repeated(left, to_integer(right, "*"), runtime);
    }
    if (is_repeatable(right) && is_whole(left)) {
      return repeated(right, to_integer(left, "*"), runtime);
    }
  }
  if (kind == BinaryOperator::kModulo && left.string() != nullptr) {
    if (left.string()->is_markup) refuse("a format that is marked as safe");
    return runtime.text(percent_formatted(left.string()->text, right, runtime));
  }
  refuse_operands(kind, left, right);
}

Value negative(const Value& value) {
  require_defined(value);
  if (!is_number(value)) refuse("- {} has no meaning", type_name(value));
  if (const auto* real = value.get_if<double>()) return -*real;
  return integer_result(BinaryOperator::kSubtract, 0, to_integer(value, "-"));
}

bool contains(const Value& container, const Value& item, Runtime& runtime) {
  if (const String* text = container.string()) {
    if (item.string() == nullptr) {
      require_defined(item);
      refuse("{} in str has no meaning", type_name(item));
    }
    runtime.use_search(text->text.size(), item.string()->text.size());
    return text->text.text().find(item.string()->text.text()) != std::string::npos;
  }
  if (const Dict* dict = container.dict()) return find(*dict, item, runtime) != nullptr;
  return std::ranges::any_of(items_of(container, runtime),
                             [&](const Value& x) { return equal(x, item, runtime); });
}

bool compares(Comparison kind, const Value& left, const Value& right, Runtime& runtime) {
  switch (kind) {
    case Comparison::kEqual: return equal(left, right, runtime);
    case Comparison::kNotEqual: return !equal(left, right, runtime);
    case Comparison::kIn: return contains(right, left, runtime);
    case Comparison::kNotIn: return !contains(right, left, runtime);
    default: break;
  }
  require_defined(left);
  require_defined(right);
  const int order = compare(left, right, runtime);
  switch (kind) {
    case Comparison::kLess: return order < 0;
    case Comparison::kLessOrEqual: return order <= 0;
    case Comparison::kGreater: return order > 0;
    default: return order >= 0;
  }
}

Value slice_of(const Value& object, const SliceBounds& bounds, Runtime& runtime) {
  require_defined(object);
  const auto is_bound = [](const Value& x) { return x.is_none() || is_whole(x); };
  const Sequence* sequence = object.sequence();
  const bool has_slices = object.string() != nullptr || is_repeatable(object) ||
                          object.is_sequence(SequenceKind::kRange);
  if (!has_slices || !is_bound(bounds.start) || !is_bound(bounds.stop) || !is_bound(bounds.step)) {
    return Value::undefined("a slice");
  }
  if (object.string() != nullptr) return text_slice(*object.string(), bounds, runtime);
  const SliceRange range = slice_range(bounds, std::ssize(sequence->items));
  std::vector<Value> items;
  for (int64_t i = 0; i < range.count; ++i) {
    items.push_back(sequence->items[static_cast<size_t>(range.start + i * range.step)]);
  }
  return runtime.sequence(std::move(items), sequence->kind);
}

}  // namespace weft::data::jinja
