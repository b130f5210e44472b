// The statements of templates.
#include <algorithm>

#include "weft/data/jinja/evaluator-inl.h"
#include "weft/data/jinja/evaluator.h"
#include "weft/data/jinja/value_text.h"

namespace weft::data::jinja {

MarkedText Evaluator::render(const Body& body) {
  TextBuilder out(runtime_);
  out_ = &out;
  execute(body);
  return out.take();
}

Evaluator::Flow Evaluator::execute(const Body& body) {
  const Level level(*this);
  for (const Statement& statement : body) {
    runtime_.use_steps();
    position_ = statement.position;
    const Flow flow = std::visit([&](const auto& node) { return execute(node); }, statement.node);
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Evaluator::Flow Evaluator::execute(const Text& node) {
  out_->append(node.text);
  return Flow::kNext;
}

Evaluator::Flow Evaluator::execute(const Print& node) {
  append_str(evaluate(*node.value), runtime_, *out_);
  return Flow::kNext;
}

Evaluator::Flow Evaluator::execute(const If& node) {
  for (const auto& [condition, body] : node.branches) {
    if (is_true(evaluate(*condition))) return execute(body);
  }
  return execute(node.otherwise);
}

// The elements that a loop visits.
std::vector<Value> Evaluator::loop_items(const For& node) {
  std::vector<Value> items = items_of(evaluate(*node.iterable), runtime_);
  if (node.condition == nullptr) return items;
  std::vector<Value> out;
  for (Value& item : items) {
    const Inner inner(*this);
    assign(node.target, item);
    if (is_true(evaluate(*node.condition))) out.push_back(std::move(item));
  }
  return out;
}

Evaluator::Flow Evaluator::execute(const For& node) {
  const Value items = runtime_.sequence(loop_items(node));
  const auto loop = std::make_shared<Loop>(Loop{.items = items.shared_sequence()});
  for (; loop->index < loop->items->items.size(); ++loop->index) {
    const Inner inner(*this);
    scope_->set("loop", Value::Variant(loop));
    assign(node.target, loop->items->items[loop->index]);
    if (execute(node.body) == Flow::kBreak) break;
  }
  if (!loop->items->items.empty()) return Flow::kNext;
  const Inner inner(*this);
  return execute(node.otherwise);
}

void Evaluator::assign(const Target& target, const Value& value) {
  if (target.is_tuple) {
    const std::vector<Value> values = items_of(value, runtime_);
    if (values.size() != target.parts.size()) {
      refuse("{} values for {} names", values.size(), target.parts.size());
    }
    for (size_t i = 0; i < values.size(); ++i) assign(target.parts[i], values[i]);
    return;
  }
  if (target.attribute.empty()) return scope_->set(target.name, value);
  const Value* object = scope_->find(target.name);
  Namespace* space = object == nullptr ? nullptr : object->name_space();
  if (space == nullptr) refuse("{} is no namespace", quote(target.name));
  if (target.attribute.starts_with('_')) {
    refuse("attribute {} begins with _", quote(target.attribute));
  }
  space->attributes.insert_or_assign(target.attribute, value);
}

Evaluator::Flow Evaluator::execute(const Set& node) {
  assign(node.target, evaluate(*node.value));
  return Flow::kNext;
}

Value Evaluator::captured(const Body& body, Flow& flow) {
  TextBuilder text(runtime_);
  TextBuilder* const outer = std::exchange(out_, &text);
  const Inner inner(*this);
  flow = execute(body);
  out_ = outer;
  return runtime_.text(text.take());
}

Evaluator::Flow Evaluator::execute(const SetBlock& node) {
  Flow flow = Flow::kNext;
  Value text = captured(node.body, flow);
  if (flow != Flow::kNext) return flow;
  if (node.filters != nullptr) {
    block_text_ = text;
    text = evaluate(*node.filters);
  }
  assign(node.target, text);
  return Flow::kNext;
}

Evaluator::Flow Evaluator::execute(const FilterBlock& node) {
  Flow flow = Flow::kNext;
  block_text_ = captured(node.body, flow);
  if (flow != Flow::kNext) return flow;
  append_str(evaluate(*node.filters), runtime_, *out_);
  return Flow::kNext;
}

Evaluator::Flow Evaluator::execute(const With& node) {
  std::vector<Value> values;
  for (const auto& [target, value] : node.values) values.push_back(evaluate(*value));
  const Inner inner(*this);
  for (size_t i = 0; i < values.size(); ++i) assign(node.values[i].first, values[i]);
  return execute(node.body);
}

Evaluator::Flow Evaluator::execute(const Generation& node) {
  const Inner inner(*this);
  return execute(node.body);
}

Value Evaluator::macro_value(const MacroBody& macro) {
  constexpr size_t kOverhead = 256;
  runtime_.use_bytes(sizeof(Callable) + kOverhead);
  if (macro_scopes_.empty() || macro_scopes_.back() != scope_) macro_scopes_.push_back(scope_);
  const auto function = [this, &macro, scope = scope_](const Arguments& arguments) {
    return call_macro(macro, scope, arguments);
  };
  return Value::Variant(std::make_shared<const Callable>(Callable{macro.name, function}));
}

Evaluator::Flow Evaluator::execute(const Macro& node) {
  scope_->set(node.macro.name, macro_value(node.macro));
  return Flow::kNext;
}

Evaluator::Flow Evaluator::execute(const CallBlock& node) {
  const Call& call_node = std::get<Call>(node.call->node);
  const Value function = evaluate(*call_node.function);
  Arguments arguments = evaluate(call_node.arguments);
  arguments.named.emplace_back("caller", macro_value(node.caller));
  append_str(call(function, arguments), runtime_, *out_);
  return Flow::kNext;
}

Value Evaluator::call_macro(const MacroBody& macro, const ScopePtr& scope,
                            const Arguments& arguments) {
  const Level level(*this);
  const Position outer = position_;
  const Inner inner(*this, scope);
  bind_parameters(macro, arguments);
  Flow flow = Flow::kNext;
  Value out = captured(macro.body, flow);
  position_ = outer;
  return out;
}

void Evaluator::bind_parameters(const MacroBody& macro, const Arguments& arguments) {
  if (arguments.values.size() > macro.parameters.size() && !macro.uses_more) {
    refuse("macro {} takes {} arguments, got {}", quote(macro.name), macro.parameters.size(),
           arguments.values.size());
  }
  bind_special(macro, arguments);
  for (size_t i = 0; i < macro.parameters.size(); ++i) {
    const auto& [name, missing] = macro.parameters[i];
    const auto given = std::ranges::find_if(
        arguments.named, [&key = name](const auto& argument) { return argument.first == key; });
    if (i < arguments.values.size()) {
      if (given != arguments.named.end()) {
        refuse("macro {}: argument {} is given twice", quote(macro.name), quote(name));
      }
      scope_->set(name, arguments.values[i]);
    } else if (given != arguments.named.end()) {
      scope_->set(name, given->second);
    } else {
      scope_->set(name, missing == nullptr ? Value::undefined(name) : evaluate(*missing));
    }
  }
}

// caller, kwargs and varargs, of a macro that uses them.
void Evaluator::bind_special(const MacroBody& macro, const Arguments& arguments) {
  std::vector<std::pair<Value, Value>> more;
  if (macro.uses_caller) scope_->set("caller", Value::undefined("caller"));
  for (const auto& [name, value] : arguments.named) {
    const bool is_parameter = std::ranges::any_of(
        macro.parameters, [&key = name](const auto& parameter) { return parameter.first == key; });
    if (is_parameter) continue;
    if (name == "caller" && macro.uses_caller) {
      scope_->set(name, value);
    } else if (macro.uses_named) {
      more.emplace_back(runtime_.text(name), value);
    } else {
      refuse("macro {} takes no argument {}", quote(macro.name), quote(name));
    }
  }
  if (macro.uses_named) scope_->set("kwargs", runtime_.dict(std::move(more)));
  if (!macro.uses_more) return;
  const size_t count = std::min(arguments.values.size(), macro.parameters.size());
  scope_->set("varargs",
              runtime_.sequence({arguments.values.begin() + static_cast<std::ptrdiff_t>(count),
                                 arguments.values.end()},
                                SequenceKind::kTuple));
}

}  // namespace weft::data::jinja
