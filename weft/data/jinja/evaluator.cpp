#include "weft/data/jinja/evaluator.h"

#include <algorithm>

#include "weft/data/jinja/builtins.h"
#include "weft/data/jinja/evaluator-inl.h"
#include "weft/data/jinja/operators.h"
#include "weft/data/jinja/value_text.h"

namespace weft::data::jinja {

Evaluator::Evaluator(Runtime& runtime, const std::vector<std::pair<std::string, Value>>& variables)
    : runtime_(runtime), scope_(std::make_shared<Scope>()) {
  for (auto& [name, value] : global_functions(runtime)) scope_->set(name, std::move(value));
  for (const auto& [name, value] : variables) scope_->set(name, value);
}

Evaluator::~Evaluator() {
  for (const ScopePtr& scope : macro_scopes_) scope->clear();
}

Value Evaluator::evaluate(const Expression& expression) {
  const Level level(*this);
  const Position outer = position_;
  position_ = expression.position;
  Value out = std::visit([&](const auto& node) { return evaluate(node); }, expression.node);
  position_ = outer;
  return out;
}

Value Evaluator::evaluate(const Name& node) {
  const Value* found = scope_->find(node.name);
  return found == nullptr ? Value::undefined(node.name) : *found;
}

Value Evaluator::evaluate(const SequenceLiteral& node) {
  std::vector<Value> items;
  for (const ExpressionPtr& item : node.items) items.push_back(evaluate(*item));
  return runtime_.sequence(std::move(items),
                           node.is_tuple ? SequenceKind::kTuple : SequenceKind::kList);
}

Value Evaluator::evaluate(const DictLiteral& node) {
  Dict out;
  for (const auto& [key_node, value_node] : node.entries) {
    const Value key = evaluate(*key_node);
    Value value = evaluate(*value_node);
    const bool is_key = !key.is_sequence(SequenceKind::kList) && key.dict() == nullptr;
    if (!is_key) refuse("a {} cannot be a key", type_name(key));
    const auto same = std::ranges::find_if(
        out.entries, [&](const auto& entry) { return equal(entry.first, key, runtime_); });
    if (same == out.entries.end()) {
      out.entries.emplace_back(key, std::move(value));
    } else {
      same->second = std::move(value);
    }
  }
  return runtime_.dict(std::move(out.entries));
}

Value Evaluator::evaluate(const Attribute& node) {
  return attribute_of(evaluate(*node.object), node.name, runtime_);
}

Value Evaluator::evaluate(const Item& node) {
  const Value object = evaluate(*node.object);
  return item_of(object, evaluate(*node.key), runtime_);
}

Value Evaluator::evaluate(const Slice& node) {
  const auto bound = [&](const ExpressionPtr& x) { return x ? evaluate(*x) : Value::none(); };
  const Value object = evaluate(*node.object);
  const Value start = bound(node.start), stop = bound(node.stop);
  return slice_of(object, {start, stop, bound(node.step)}, runtime_);
}

Arguments Evaluator::evaluate(const CallArguments& arguments) {
  Arguments out;
  for (const ExpressionPtr& value : arguments.values) out.values.push_back(evaluate(*value));
  for (const auto& [name, value] : arguments.named) out.named.emplace_back(name, evaluate(*value));
  return out;
}

Value Evaluator::call(const Value& function, const Arguments& arguments) {
  require_defined(function);
  if (function.callable() == nullptr) refuse("a {} cannot be called", type_name(function));
  return function.callable()->call(arguments);
}

Value Evaluator::evaluate(const Call& node) {
  const Value function = evaluate(*node.function);
  return call(function, evaluate(node.arguments));
}

Value Evaluator::evaluate(const Filter& node) {
  if (node.function == nullptr) refuse("filter {} is not supported", quote(node.name));
  const Value input = evaluate(*node.input);
  return node.function(runtime_, input, evaluate(node.arguments));
}

Value Evaluator::evaluate(const Test& node) {
  if (node.function == nullptr) refuse("test {} is not supported", quote(node.name));
  const Value input = evaluate(*node.input);
  return node.function(runtime_, input, evaluate(node.arguments));
}

Value Evaluator::evaluate(const Unary& node) {
  const Value operand = evaluate(*node.operand);
  if (node.kind == UnaryOperator::kNot) return !is_true(operand);
  if (node.kind == UnaryOperator::kMinus) return negative(operand);
  require_defined(operand);
  if (!is_number(operand)) refuse("+ {} has no meaning", type_name(operand));
  return operand.is<bool>() ? Value(to_integer(operand, "+")) : operand;
}

Value Evaluator::evaluate(const Binary& node) {
  const Value left = evaluate(*node.left);
  return binary(node.kind, left, evaluate(*node.right), runtime_);
}

Value Evaluator::evaluate(const Logical& node) {
  Value left = evaluate(*node.left);
  return is_true(left) == node.is_and ? evaluate(*node.right) : left;
}

Value Evaluator::evaluate(const Compare& node) {
  Value left = evaluate(*node.first);
  for (const auto& [kind, operand] : node.rest) {
    Value right = evaluate(*operand);
    if (!compares(kind, left, right, runtime_)) return false;
    left = std::move(right);
  }
  return true;
}

Value Evaluator::evaluate(const Concatenation& node) {
  TextBuilder out(runtime_);
  for (const ExpressionPtr& part : node.parts) append_str(evaluate(*part), runtime_, out);
  return runtime_.text(out.take());
}

Value Evaluator::evaluate(const Conditional& node) {
  if (is_true(evaluate(*node.condition))) return evaluate(*node.then);
  if (node.otherwise == nullptr) return Value::undefined("an expression without else");
  return evaluate(*node.otherwise);
}

}  // namespace weft::data::jinja
