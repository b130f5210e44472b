#include "weft/data/jinja/expression_parser.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace weft::data::jinja {
namespace {

constexpr int kMaxLevels = 100, kMaxHeight = 300;

int height_of(const ExpressionPtr& expression) {
  return expression == nullptr ? 0 : expression->height;
}

int height_of(const std::vector<ExpressionPtr>& all) {
  int out = 0;
  for (const ExpressionPtr& one : all) out = std::max(out, height_of(one));
  return out;
}

int height_of(const CallArguments& arguments) {
  int out = height_of(arguments.values);
  for (const auto& [name, value] : arguments.named) out = std::max(out, height_of(value));
  return out;
}

std::string described(const Token& token) {
  switch (token.kind) {
    case TokenKind::kText: return "text";
    case TokenKind::kPrintBegin: return "{{";
    case TokenKind::kPrintEnd: return "}}";
    case TokenKind::kBlockBegin: return "{%";
    case TokenKind::kBlockEnd: return "%}";
    case TokenKind::kEnd: return "the end of the template";
    default: return quote(token.text);
  }
}

}  // namespace

ExpressionParser::Level::Level(ExpressionParser& parser) : parser_(parser) {
  if (++parser_.level_ > kMaxLevels) {
    parser_.refuse_at(parser_.now().position, "nested more than {} levels deep", kMaxLevels);
  }
}

ExpressionPtr ExpressionParser::make(Position position, Node node, int below) const {
  const int height = below + 1;
  if (height > kMaxHeight) {
    refuse_at(position, "an expression of more than {} levels; expected fewer", kMaxHeight);
  }
  return std::make_unique<const Expression>(Expression{position, height, std::move(node)});
}

void ExpressionParser::refuse_now(std::string_view expected) const {
  refuse_at(now().position, "expected {}, got {}", expected, described(now()));
}

bool ExpressionParser::skip_name(std::string_view name) {
  if (!now().is_name(name)) return false;
  take();
  return true;
}

bool ExpressionParser::skip_operator(std::string_view text) {
  if (!now().is_operator(text)) return false;
  take();
  return true;
}

void ExpressionParser::expect_operator(std::string_view text) {
  if (!skip_operator(text)) refuse_now(quote(text));
}

std::string ExpressionParser::expect_name() {
  if (now().kind != TokenKind::kName) refuse_now("a name");
  return take().text;
}

void ExpressionParser::refuse_unknown(size_t before) const {
  if (unknown_.size() == before) return;
  refuse_at(unknown_[before].position, "{} is not supported", unknown_[before].name);
}

void ExpressionParser::note_name(std::string_view name) {
  macro_names_.caller += name == "caller" ? 1 : 0;
  macro_names_.named += name == "kwargs" ? 1 : 0;
  macro_names_.more += name == "varargs" ? 1 : 0;
}

ExpressionPtr ExpressionParser::tuple(bool with_conditional) {
  const Position position = now().position;
  const auto one = [&] { return with_conditional ? expression() : either(); };
  ExpressionPtr first = one();
  if (!now().is_operator(",")) return first;
  SequenceLiteral out{.items = {}, .is_tuple = true};
  out.items.push_back(std::move(first));
  while (skip_operator(",")) {
    const TokenKind kind = now().kind;
    if (kind == TokenKind::kBlockEnd || kind == TokenKind::kPrintEnd || now().is_operator(")")) {
      break;
    }
    out.items.push_back(one());
  }
  const int height = height_of(out.items);
  return make(position, std::move(out), height);
}

ExpressionPtr ExpressionParser::expression() {
  const Level level(*this);
  const Position position = now().position;
  const size_t unknown = unknown_.size();
  ExpressionPtr out = either();
  while (skip_name("if")) {
    Conditional node;
    node.condition = either();
    node.then = std::move(out);
    if (skip_name("else")) node.otherwise = expression();
    const int height =
        std::max({height_of(node.condition), height_of(node.then), height_of(node.otherwise)});
    out = make(position, std::move(node), height);
    forgive_unknown(unknown);
  }
  return out;
}

ExpressionPtr ExpressionParser::either() {
  const Position position = now().position;
  ExpressionPtr left = both();
  while (skip_name("or")) {
    ExpressionPtr right = both();
    const int height = std::max(height_of(left), height_of(right));
    left = make(position, Logical{false, std::move(left), std::move(right)}, height);
  }
  return left;
}

ExpressionPtr ExpressionParser::both() {
  const Position position = now().position;
  ExpressionPtr left = negated();
  while (skip_name("and")) {
    ExpressionPtr right = negated();
    const int height = std::max(height_of(left), height_of(right));
    left = make(position, Logical{true, std::move(left), std::move(right)}, height);
  }
  return left;
}

ExpressionPtr ExpressionParser::negated() {
  const Level level(*this);
  const Position position = now().position;
  if (!skip_name("not")) return comparison();
  ExpressionPtr operand = negated();
  const int height = height_of(operand);
  return make(position, Unary{UnaryOperator::kNot, std::move(operand)}, height);
}

ExpressionPtr ExpressionParser::comparison() {
  constexpr std::pair<std::string_view, Comparison> kComparisons[] = {
      {"==", Comparison::kEqual},  {"!=", Comparison::kNotEqual},
      {"<", Comparison::kLess},    {"<=", Comparison::kLessOrEqual},
      {">", Comparison::kGreater}, {">=", Comparison::kGreaterOrEqual}};
  const Position position = now().position;
  ExpressionPtr first = sum();
  Compare node;
  int height = height_of(first);
  while (true) {
    const auto* found = std::ranges::find_if(
        kComparisons, [&](const auto& each) { return now().is_operator(each.first); });
    Comparison kind = Comparison::kIn;
    if (found != std::end(kComparisons)) {
      kind = found->second;
      take();
    } else if (now().is_name("not") && next().is_name("in")) {
      kind = Comparison::kNotIn;
      take();
      take();
    } else if (!skip_name("in")) {
      break;
    }
    node.rest.emplace_back(kind, sum());
    height = std::max(height, height_of(node.rest.back().second));
  }
  if (node.rest.empty()) return first;
  node.first = std::move(first);
  return make(position, std::move(node), height);
}

ExpressionPtr ExpressionParser::sum() {
  const Position position = now().position;
  ExpressionPtr left = concatenation();
  while (now().is_operator("+") || now().is_operator("-")) {
    const auto kind = take().text == "+" ? BinaryOperator::kAdd : BinaryOperator::kSubtract;
    ExpressionPtr right = concatenation();
    const int height = std::max(height_of(left), height_of(right));
    left = make(position, Binary{kind, std::move(left), std::move(right)}, height);
  }
  return left;
}

ExpressionPtr ExpressionParser::concatenation() {
  const Position position = now().position;
  ExpressionPtr first = product();
  if (!now().is_operator("~")) return first;
  Concatenation node;
  node.parts.push_back(std::move(first));
  while (skip_operator("~")) node.parts.push_back(product());
  const int height = height_of(node.parts);
  return make(position, std::move(node), height);
}

ExpressionPtr ExpressionParser::product() {
  constexpr std::pair<std::string_view, BinaryOperator> kProducts[] = {
      {"*", BinaryOperator::kMultiply},
      {"/", BinaryOperator::kDivide},
      {"//", BinaryOperator::kFloorDivide},
      {"%", BinaryOperator::kModulo}};
  const Position position = now().position;
  ExpressionPtr left = power();
  while (true) {
    const auto* found = std::ranges::find_if(
        kProducts, [&](const auto& each) { return now().is_operator(each.first); });
    if (found == std::end(kProducts)) return left;
    take();
    ExpressionPtr right = power();
    const int height = std::max(height_of(left), height_of(right));
    left = make(position, Binary{found->second, std::move(left), std::move(right)}, height);
  }
}

ExpressionPtr ExpressionParser::power() {
  const Position position = now().position;
  ExpressionPtr left = unary();
  while (skip_operator("**")) {
    ExpressionPtr right = unary();
    const int height = std::max(height_of(left), height_of(right));
    left =
        make(position, Binary{BinaryOperator::kPower, std::move(left), std::move(right)}, height);
  }
  return left;
}

ExpressionPtr ExpressionParser::unary(bool with_filters) {
  const Level level(*this);
  const Position position = now().position;
  ExpressionPtr out;
  if (now().is_operator("-") || now().is_operator("+")) {
    const auto kind = take().text == "-" ? UnaryOperator::kMinus : UnaryOperator::kPlus;
    ExpressionPtr operand = unary(false);
    const int height = height_of(operand);
    out = make(position, Unary{kind, std::move(operand)}, height);
  } else {
    out = primary();
  }
  out = postfix(std::move(out));
  return with_filters ? filters_and_tests(std::move(out)) : std::move(out);
}

ExpressionPtr ExpressionParser::primary() {
  const Position position = now().position;
  if (now().kind == TokenKind::kString) return string_literal();
  if (now().kind == TokenKind::kInteger || now().kind == TokenKind::kFloat) return number();
  if (now().is_operator("(")) return parentheses();
  if (now().is_operator("[")) return list();
  if (now().is_operator("{")) return dict();
  if (now().kind != TokenKind::kName) refuse_now("an expression");
  const std::string name = take().text;
  if (name == "true" || name == "True") return make(position, Literal{Value(true)});
  if (name == "false" || name == "False") return make(position, Literal{Value(false)});
  if (name == "none" || name == "None") return make(position, Literal{Value::none()});
  note_name(name);
  return make(position, Name{name});
}

// Adjacent strings are one.
ExpressionPtr ExpressionParser::string_literal() {
  const Position position = now().position;
  std::string text;
  while (now().kind == TokenKind::kString) text += take().text;
  return make(
      position,
      Literal{Value::Variant(std::make_shared<const String>(String{MarkedText(std::move(text))}))});
}

ExpressionPtr ExpressionParser::number() {
  const Token token = take();
  const std::string& text = token.text;
  if (token.kind == TokenKind::kFloat) {
    return make(token.position, Literal{Value(std::strtod(text.c_str(), nullptr))});
  }
  const char letter = text.size() > 2 ? static_cast<char>(text[1] | 0x20) : ' ';
  const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
  const char* begin = text.data() + (base == 10 ? 0 : 2);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse_at(token.position, "{} is no number of 64 bits", quote(text));
  }
  return make(token.position, Literal{Value(value)});
}

ExpressionPtr ExpressionParser::parentheses() {
  const Position position = now().position;
  expect_operator("(");
  if (skip_operator(")")) return make(position, SequenceLiteral{.items = {}, .is_tuple = true});
  ExpressionPtr out = tuple();
  expect_operator(")");
  return out;
}

ExpressionPtr ExpressionParser::list() {
  const Position position = now().position;
  SequenceLiteral node;
  expect_operator("[");
  while (!skip_operator("]")) {
    if (!node.items.empty()) expect_operator(",");
    if (skip_operator("]")) break;
    node.items.push_back(expression());
  }
  const int height = height_of(node.items);
  return make(position, std::move(node), height);
}

ExpressionPtr ExpressionParser::dict() {
  const Position position = now().position;
  DictLiteral node;
  int height = 0;
  expect_operator("{");
  while (!skip_operator("}")) {
    if (!node.entries.empty()) expect_operator(",");
    if (skip_operator("}")) break;
    ExpressionPtr key = expression();
    expect_operator(":");
    node.entries.emplace_back(std::move(key), expression());
    height = std::max(
        {height, height_of(node.entries.back().first), height_of(node.entries.back().second)});
  }
  return make(position, std::move(node), height);
}

ExpressionPtr ExpressionParser::postfix(ExpressionPtr object) {
  while (true) {
    if (now().is_operator(".")) {
      const Position position = take().position;
      const int height = height_of(object);
      if (now().kind == TokenKind::kInteger) {
        ExpressionPtr key = number();
        object = make(position, Item{std::move(object), std::move(key)}, height);
      } else {
        object = make(position, Attribute{std::move(object), expect_name()}, height);
      }
    } else if (now().is_operator("[")) {
      object = subscript(std::move(object));
    } else if (now().is_operator("(")) {
      object = call(std::move(object));
    } else {
      return object;
    }
  }
}

// [key], [start:stop:step]
ExpressionPtr ExpressionParser::subscript(ExpressionPtr object) {
  const Position position = now().position;
  expect_operator("[");
  const auto ends = [&] { return now().is_operator("]") || now().is_operator(":"); };
  ExpressionPtr start = ends() ? nullptr : expression();
  if (skip_operator("]")) {
    if (start == nullptr) refuse_at(position, "expected a key");
    const int height = std::max(height_of(object), height_of(start));
    return make(position, Item{std::move(object), std::move(start)}, height);
  }
  if (now().is_operator(",")) refuse_at(now().position, "a key of several parts is not supported");
  expect_operator(":");
  ExpressionPtr stop = ends() ? nullptr : expression();
  ExpressionPtr step;
  if (skip_operator(":") && !ends()) step = expression();
  expect_operator("]");
  const int height =
      std::max({height_of(object), height_of(start), height_of(stop), height_of(step)});
  return make(position,
              Slice{std::move(object), std::move(start), std::move(stop), std::move(step)}, height);
}

ExpressionPtr ExpressionParser::filters_and_tests(ExpressionPtr input) {
  while (true) {
    if (skip_operator("|")) {
      input = filter(std::move(input));
    } else if (now().is_name("is")) {
      input = test(std::move(input));
    } else if (now().is_operator("(")) {
      input = call(std::move(input));
    } else {
      return input;
    }
  }
}

ExpressionPtr ExpressionParser::block_filters() {
  ExpressionPtr out = filter(make(now().position, BlockText{}));
  while (skip_operator("|")) out = filter(std::move(out));
  return out;
}

std::string ExpressionParser::dotted_name() {
  std::string name = expect_name();
  while (skip_operator(".")) name += "." + expect_name();
  return name;
}

ExpressionPtr ExpressionParser::filter(ExpressionPtr input) {
  const Position position = now().position;
  Filter node{.input = std::move(input), .name = dotted_name(), .function = {}, .arguments = {}};
  node.function = find_filter(node.name);
  if (node.function == nullptr) unknown_.push_back({position, "filter " + quote(node.name)});
  if (now().is_operator("(")) node.arguments = arguments();
  const int height = std::max(height_of(node.input), height_of(node.arguments));
  return make(position, std::move(node), height);
}

ExpressionPtr ExpressionParser::test(ExpressionPtr input) {
  const Position position = take().position;  // is
  const bool is_negated = skip_name("not");
  Test node{.input = std::move(input), .name = dotted_name(), .function = {}, .arguments = {}};
  node.function = find_test(node.name);
  if (node.function == nullptr) unknown_.push_back({position, "test " + quote(node.name)});
  const bool has_value = now().kind == TokenKind::kString || now().kind == TokenKind::kInteger ||
                         now().kind == TokenKind::kFloat || now().is_operator("[") ||
                         now().is_operator("{") ||
                         (now().kind == TokenKind::kName && !now().is_name("else") &&
                          !now().is_name("or") && !now().is_name("and"));
  if (now().is_operator("(")) {
    node.arguments = arguments();
  } else if (now().is_name("is")) {
    refuse_at(now().position, "a test of a test; expected parentheses");
  } else if (has_value) {
    node.arguments.values.push_back(postfix(primary()));
  }
  const int height = std::max(height_of(node.input), height_of(node.arguments));
  ExpressionPtr out = make(position, std::move(node), height);
  if (!is_negated) return out;
  return make(position, Unary{UnaryOperator::kNot, std::move(out)}, height + 1);
}

ExpressionPtr ExpressionParser::call(ExpressionPtr function) {
  const Position position = now().position;
  CallArguments all = arguments();
  const int height = std::max(height_of(function), height_of(all));
  return make(position, Call{std::move(function), std::move(all)}, height);
}

CallArguments ExpressionParser::arguments() {
  CallArguments out;
  expect_operator("(");
  for (bool is_first = true; !skip_operator(")"); is_first = false) {
    if (!is_first) expect_operator(",");
    if (!is_first && skip_operator(")")) break;
    if (now().is_operator("*") || now().is_operator("**")) {
      refuse_at(now().position, "arguments by * are not supported");
    }
    if (now().kind == TokenKind::kName && next().is_operator("=")) {
      const Token name = take();
      take();
      if (std::ranges::any_of(out.named, [&](const auto& o) { return o.first == name.text; })) {
        refuse_at(name.position, "argument {} is given twice", quote(name.text));
      }
      out.named.emplace_back(name.text, expression());
    } else if (!out.named.empty()) {
      refuse_now("a named argument");
    } else {
      out.values.push_back(expression());
    }
  }
  return out;
}

}  // namespace weft::data::jinja
