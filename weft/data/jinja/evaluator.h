// Evaluates syntax trees.
#ifndef WEFT_DATA_JINJA_EVALUATOR_H_
#define WEFT_DATA_JINJA_EVALUATOR_H_

#include <string>
#include <vector>

#include "weft/data/jinja/runtime.h"
#include "weft/data/jinja/scope.h"
#include "weft/data/jinja/syntax.h"

namespace weft::data::jinja {

class Evaluator {
 public:
  // The runtime has to outlive it.
  Evaluator(Runtime& runtime, const std::vector<std::pair<std::string, Value>>& variables);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // The text that a template makes. Throws RenderError; position() then says where.
  MarkedText render(const Body& body);
  Position position() const { return position_; }

 private:
  enum class Flow { kNext, kBreak, kContinue };
  class Level;  // of nested evaluations
  class Inner;  // a scope within the current one

  Value evaluate(const Expression& expression);
  Value evaluate(const Literal& node) { return node.value; }
  Value evaluate(const Name& node);
  Value evaluate(const SequenceLiteral& node);
  Value evaluate(const DictLiteral& node);
  Value evaluate(const Attribute& node);
  Value evaluate(const Item& node);
  Value evaluate(const Slice& node);
  Value evaluate(const Call& node);
  Value evaluate(const BlockText&) { return block_text_; }
  Value evaluate(const Filter& node);
  Value evaluate(const Test& node);
  Value evaluate(const Unary& node);
  Value evaluate(const Binary& node);
  Value evaluate(const Logical& node);
  Value evaluate(const Compare& node);
  Value evaluate(const Concatenation& node);
  Value evaluate(const Conditional& node);
  Arguments evaluate(const CallArguments& arguments);
  Value call(const Value& function, const Arguments& arguments);

  Flow execute(const Body& body);
  Flow execute(const Text& node);
  Flow execute(const Print& node);
  Flow execute(const If& node);
  Flow execute(const For& node);
  Flow execute(const Set& node);
  Flow execute(const SetBlock& node);
  Flow execute(const Macro& node);
  Flow execute(const CallBlock& node);
  Flow execute(const FilterBlock& node);
  Flow execute(const With& node);
  Flow execute(const Generation& node);
  Flow execute(const Break&) { return Flow::kBreak; }
  Flow execute(const Continue&) { return Flow::kContinue; }

  void assign(const Target& target, const Value& value);
  std::vector<Value> loop_items(const For& node);
  // What a body prints, in a scope of its own.
  Value captured(const Body& body, Flow& flow);
  Value macro_value(const MacroBody& macro);
  Value call_macro(const MacroBody& macro, const ScopePtr& scope, const Arguments& arguments);
  void bind_parameters(const MacroBody& macro, const Arguments& arguments);
  void bind_special(const MacroBody& macro, const Arguments& arguments);

  Runtime& runtime_;
  ScopePtr scope_;
  // Scopes that macros hold, which they hold too; emptied at the end.
  std::vector<ScopePtr> macro_scopes_;
  TextBuilder* out_ = nullptr;
  Value block_text_;
  Position position_;
  int64_t level_ = 0;
};

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_EVALUATOR_H_
