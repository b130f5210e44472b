// Tests of values: what follows `is`.
#include <algorithm>

#include "weft/data/jinja/arguments.h"
#include "weft/data/jinja/filters.h"
#include "weft/data/jinja/operators.h"
#include "weft/data/jinja/text_functions.h"
#include "weft/data/jinja/value_text.h"

namespace weft::data::jinja {
namespace {

// A test without arguments.
template <bool (*kHolds)(const Value&)>
Value plain(Runtime&, const Value& input, const Arguments& arguments) {
  bind("a test", arguments, {});
  return kHolds(input);
}

template <Comparison kComparison>
Value comparing(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const auto given = bind("a comparison", arguments, {"other"}, 1);
  return compares(kComparison, input, *given[0], runtime);
}

bool is_defined(const Value& value) { return !value.is_undefined(); }
bool is_undefined(const Value& value) { return value.is_undefined(); }
bool is_none(const Value& value) { return value.is_none(); }
bool is_boolean(const Value& value) { return value.is<bool>(); }
bool is_the_true(const Value& value) { return value.is<bool>() && is_true(value); }
bool is_the_false(const Value& value) { return value.is<bool>() && !is_true(value); }
bool is_integer(const Value& value) { return value.is<int64_t>(); }
bool is_float(const Value& value) { return value.is<double>(); }
bool is_text(const Value& value) { return value.string() != nullptr; }
bool is_mapping(const Value& value) { return value.dict() != nullptr; }
bool is_callable(const Value& value) { return value.callable() != nullptr; }
bool is_escaped(const Value& value) {
  return value.string() != nullptr && value.string()->is_markup;
}
bool is_iterable(const Value& value) {
  return value.is_undefined() || is_text(value) || is_mapping(value) || value.sequence() != nullptr;
}
bool is_sequence(const Value& value) {
  return is_iterable(value) && !value.is_sequence(SequenceKind::kView) &&
         !value.is_sequence(SequenceKind::kGenerator);
}

template <int64_t kRest>
Value has_rest(Runtime& runtime, const Value& input, const Arguments& arguments) {
  bind("odd", arguments, {});
  const Value rest = binary(BinaryOperator::kModulo, input, Value(int64_t{2}), runtime);
  return equal(rest, Value(kRest), runtime);
}

Value divisible_by(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const auto given = bind("divisibleby", arguments, {"num"}, 1);
  const Value rest = binary(BinaryOperator::kModulo, input, *given[0], runtime);
  return equal(rest, Value(int64_t{0}), runtime);
}

Value same_as(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const auto given = bind("sameas", arguments, {"other"}, 1);
  return input.variant().index() == given[0]->variant().index() && equal(input, *given[0], runtime);
}

// Whether there are letters, all of this case.
template <Case kCase>
Value has_case(Runtime& runtime, const Value& input, const Arguments& arguments) {
  bind("a test of case", arguments, {});
  const MarkedText text = str(input, runtime);
  const Case other = kCase == Case::kLower ? Case::kUpper : Case::kLower;
  return in_case(text, kCase, runtime).text() == text.text() &&
         in_case(text, other, runtime).text() != text.text();
}

}  // namespace

std::span<const NamedBuiltin> value_tests() {
  static constexpr NamedBuiltin kTests[] = {
      {"!=", comparing<Comparison::kNotEqual>},
      {"<", comparing<Comparison::kLess>},
      {"<=", comparing<Comparison::kLessOrEqual>},
      {"==", comparing<Comparison::kEqual>},
      {">", comparing<Comparison::kGreater>},
      {">=", comparing<Comparison::kGreaterOrEqual>},
      {"boolean", plain<is_boolean>},
      {"callable", plain<is_callable>},
      {"defined", plain<is_defined>},
      {"divisibleby", divisible_by},
      {"eq", comparing<Comparison::kEqual>},
      {"equalto", comparing<Comparison::kEqual>},
      {"escaped", plain<is_escaped>},
      {"even", has_rest<0>},
      {"false", plain<is_the_false>},
      {"float", plain<is_float>},
      {"ge", comparing<Comparison::kGreaterOrEqual>},
      {"greaterthan", comparing<Comparison::kGreater>},
      {"gt", comparing<Comparison::kGreater>},
      {"in", comparing<Comparison::kIn>},
      {"integer", plain<is_integer>},
      {"iterable", plain<is_iterable>},
      {"le", comparing<Comparison::kLessOrEqual>},
      {"lessthan", comparing<Comparison::kLess>},
      {"lower", has_case<Case::kLower>},
      {"lt", comparing<Comparison::kLess>},
      {"mapping", plain<is_mapping>},
      {"ne", comparing<Comparison::kNotEqual>},
      {"none", plain<is_none>},
      {"number", plain<is_number>},
      {"odd", has_rest<1>},
      {"sameas", same_as},
      {"sequence", plain<is_sequence>},
      {"string", plain<is_text>},
      {"true", plain<is_the_true>},
      {"undefined", plain<is_undefined>},
      {"upper", has_case<Case::kUpper>},
  };
  return kTests;
}

}  // namespace weft::data::jinja
