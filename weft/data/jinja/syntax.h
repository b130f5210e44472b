// Syntax trees of templates.
#ifndef WEFT_DATA_JINJA_SYNTAX_H_
#define WEFT_DATA_JINJA_SYNTAX_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "weft/data/jinja/builtins.h"
#include "weft/data/jinja/lexer.h"
#include "weft/data/jinja/value.h"

namespace weft::data::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<const Expression>;

struct Literal {
  Value value;
};
struct Name {
  std::string name;
};
struct SequenceLiteral {
  std::vector<ExpressionPtr> items;
  bool is_tuple = false;
};
struct DictLiteral {
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> entries;
};
struct Attribute {
  ExpressionPtr object;
  std::string name;
};
struct Item {
  ExpressionPtr object, key;
};
struct Slice {
  ExpressionPtr object, start, stop, step;  // null: none
};
struct CallArguments {
  std::vector<ExpressionPtr> values;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
};
struct Call {
  ExpressionPtr function;
  CallArguments arguments;
};
// The text of the block that filters are applied to.
struct BlockText {};
struct Filter {
  ExpressionPtr input;
  std::string name;
  Builtin function;  // null: there is none of that name, which is an error where it is used
  CallArguments arguments;
};
struct Test {
  ExpressionPtr input;
  std::string name;
  Builtin function;  // likewise
  CallArguments arguments;
};
enum class UnaryOperator { kNot, kMinus, kPlus };
struct Unary {
  UnaryOperator kind;
  ExpressionPtr operand;
};
enum class BinaryOperator { kAdd, kSubtract, kMultiply, kDivide, kFloorDivide, kModulo, kPower };
struct Binary {
  BinaryOperator kind;
  ExpressionPtr left, right;
};
struct Logical {
  bool is_and;
  ExpressionPtr left, right;
};
enum class Comparison {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kIn,
  kNotIn
};
struct Compare {
  ExpressionPtr first;
  std::vector<std::pair<Comparison, ExpressionPtr>> rest;
};
struct Concatenation {
  std::vector<ExpressionPtr> parts;
};
struct Conditional {
  ExpressionPtr condition, then, otherwise;  // otherwise may be null
};

struct Expression {
  Position position;
  int height = 1;  // of its tree
  std::variant<Literal, Name, SequenceLiteral, DictLiteral, Attribute, Item, Slice, Call, BlockText,
               Filter, Test, Unary, Binary, Logical, Compare, Concatenation, Conditional>
      node;
};

// What values are assigned to: a name, an attribute of a namespace, or several targets.
struct Target {
  std::string name = {};
  std::string attribute = {};
  std::vector<Target> parts = {};
  bool is_tuple = false;
};

struct Statement;
using Body = std::vector<Statement>;

struct Text {
  std::string text;
};
struct Print {
  ExpressionPtr value;
};
struct If {
  std::vector<std::pair<ExpressionPtr, Body>> branches;
  Body otherwise;
};
struct For {
  Target target;
  ExpressionPtr iterable, condition;  // condition may be null
  Body body, otherwise;
};
struct Set {
  Target target;
  ExpressionPtr value;
};
struct SetBlock {
  Target target;
  ExpressionPtr filters;  // of the text of the body; may be null
  Body body;
};
// The parameters and the body of a macro or of a call block.
struct MacroBody {
  std::string name;
  std::vector<std::pair<std::string, ExpressionPtr>> parameters;  // with defaults, or null
  Body body;
  bool uses_caller = false, uses_named = false, uses_more = false;  // caller, kwargs, varargs
};
struct Macro {
  MacroBody macro;
};
struct CallBlock {
  ExpressionPtr call;
  MacroBody caller;
};
struct FilterBlock {
  ExpressionPtr filters;
  Body body;
};
struct With {
  std::vector<std::pair<Target, ExpressionPtr>> values;
  Body body;
};
// {% generation %}: what the assistant says, which is no different in a prompt.
struct Generation {
  Body body;
};
struct Break {};
struct Continue {};

struct Statement {
  Position position;
  std::variant<Text, Print, If, For, Set, SetBlock, Macro, CallBlock, FilterBlock, With, Generation,
               Break, Continue>
      node;
};

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_SYNTAX_H_
