#include "weft/data/jinja/parser.h"

#include <algorithm>
#include <array>

#include "weft/data/jinja/expression_parser.h"

namespace weft::data::jinja {
namespace {

class StatementParser {
 public:
  StatementParser(std::string_view source, std::string_view where)
      : in_(tokens_of(source, where), where) {}

  Body run();

 private:
  using Names = std::initializer_list<std::string_view>;

  // Statements up to a tag of one of these names, which is then the current token.
  Body body(Names ends);
  // The same, and the rest of that tag.
  Body body_to(std::string_view end);
  // A body whose unknown filters are errors.
  Body strict_body_to(std::string_view end);
  Statement statement();
  void end_tag();

  Target target(bool with_attribute);
  Target one_target(bool with_attribute);
  If if_statement();
  For for_statement();
  std::variant<Set, SetBlock> set_statement();
  Macro macro_statement();
  CallBlock call_statement();
  FilterBlock filter_statement();
  With with_statement();
  Generation generation_statement();
  void signature(MacroBody& out);
  void macro_body(MacroBody& out, std::string_view end);

  ExpressionParser in_;
  int loops_ = 0;  // around the statement, in the same macro
};

bool is_reserved(std::string_view name) {
  constexpr std::string_view kReserved[] = {"true", "false", "none", "True", "False", "None"};
  return std::ranges::find(kReserved, name) != std::end(kReserved);
}

void StatementParser::end_tag() {
  if (in_.now().kind != TokenKind::kBlockEnd) in_.refuse_now("%}");
  in_.take();
}

Body StatementParser::body(Names ends) {
  const ExpressionParser::Level level(in_);
  Body out;
  while (true) {
    const Token& token = in_.now();
    const Position position = token.position;
    if (token.kind == TokenKind::kText) {
      out.push_back({position, Text{in_.take().text}});
    } else if (token.kind == TokenKind::kPrintBegin) {
      in_.take();
      out.push_back({position, Print{in_.tuple()}});
      if (in_.now().kind != TokenKind::kPrintEnd) in_.refuse_now("}}");
      in_.take();
    } else if (token.kind == TokenKind::kBlockBegin) {
      in_.take();
      const bool is_end =
          std::ranges::any_of(ends, [&](std::string_view end) { return in_.now().is_name(end); });
      if (is_end) return out;
      out.push_back(statement());
    } else if (ends.size() > 0) {
      in_.refuse_now("{% " + std::string(*std::prev(ends.end())) + " %}");
    } else {
      return out;
    }
  }
}

Body StatementParser::body_to(std::string_view end) {
  end_tag();
  Body out = body({end});
  in_.take();
  end_tag();
  return out;
}

Body StatementParser::strict_body_to(std::string_view end) {
  const size_t unknown = in_.unknown_count();
  Body out = body_to(end);
  in_.refuse_unknown(unknown);
  return out;
}

Statement StatementParser::statement() {
  const Position position = in_.now().position;
  const std::string name = in_.expect_name();
  if (name == "if") return {position, if_statement()};
  if (name == "for") return {position, for_statement()};
  if (name == "set") {
    return std::visit(
        [&](auto set) {
          return Statement{position, std::move(set)};
        },
        set_statement());
  }
  if (name == "macro") return {position, macro_statement()};
  if (name == "call") return {position, call_statement()};
  if (name == "filter") return {position, filter_statement()};
  if (name == "with") return {position, with_statement()};
  if (name == "generation") return {position, generation_statement()};
  if (name == "break" || name == "continue") {
    if (loops_ == 0) in_.refuse_at(position, "{} outside of a loop", quote(name));
    end_tag();
    if (name == "break") return {position, Break{}};
    return {position, Continue{}};
  }
  in_.refuse_at(position, "tag {} is not supported; expected {}", quote(name),
                "if, for, set, macro, call, filter, with, generation, break, continue or raw");
}

Target StatementParser::one_target(bool with_attribute) {
  const Position position = in_.now().position;
  if (in_.skip_operator("(")) {
    Target out = target(with_attribute);
    in_.expect_operator(")");
    return out;
  }
  Target out{.name = in_.expect_name()};
  if (is_reserved(out.name)) in_.refuse_at(position, "{} cannot be assigned to", quote(out.name));
  if (with_attribute && in_.skip_operator(".")) out.attribute = in_.expect_name();
  return out;
}

Target StatementParser::target(bool with_attribute) {
  const ExpressionParser::Level level(in_);
  Target first = one_target(with_attribute);
  if (!in_.now().is_operator(",")) return first;
  Target out{.is_tuple = true};
  out.parts.push_back(std::move(first));
  while (in_.skip_operator(",")) {
    if (in_.now().kind != TokenKind::kName && !in_.now().is_operator("(")) break;
    if (in_.now().is_name("in")) break;
    out.parts.push_back(one_target(with_attribute));
  }
  return out;
}

If StatementParser::if_statement() {
  const size_t unknown = in_.unknown_count();
  If out;
  do {
    ExpressionPtr condition = in_.tuple(false);
    end_tag();
    out.branches.emplace_back(std::move(condition), body({"elif", "else", "endif"}));
  } while (in_.skip_name("elif"));
  if (in_.skip_name("else")) {
    out.otherwise = body_to("endif");
  } else {
    in_.take();
    end_tag();
  }
  in_.forgive_unknown(unknown);
  return out;
}

For StatementParser::for_statement() {
  const size_t unknown = in_.unknown_count();
  For out;
  out.target = target(false);
  if (!in_.skip_name("in")) in_.refuse_now("'in'");
  out.iterable = in_.tuple(false);
  if (in_.skip_name("if")) out.condition = in_.expression();
  if (in_.now().is_name("recursive")) {
    in_.refuse_at(in_.now().position, "recursive loops are not supported");
  }
  end_tag();
  ++loops_;
  out.body = body({"else", "endfor"});
  --loops_;
  if (in_.skip_name("else")) {
    out.otherwise = body_to("endfor");
  } else {
    in_.take();
    end_tag();
  }
  in_.refuse_unknown(unknown);
  return out;
}

std::variant<Set, SetBlock> StatementParser::set_statement() {
  Target to = target(true);
  if (in_.skip_operator("=")) {
    Set out{std::move(to), in_.tuple()};
    end_tag();
    return out;
  }
  SetBlock out{.target = std::move(to), .filters = nullptr, .body = {}};
  if (in_.skip_operator("|")) out.filters = in_.block_filters();
  out.body = strict_body_to("endset");
  return out;
}

void StatementParser::signature(MacroBody& out) {
  in_.expect_operator("(");
  while (!in_.skip_operator(")")) {
    if (!out.parameters.empty()) in_.expect_operator(",");
    const Position position = in_.now().position;
    const std::string name = one_target(false).name;
    ExpressionPtr missing;
    if (in_.skip_operator("=")) {
      missing = in_.expression();
    } else if (!out.parameters.empty() && out.parameters.back().second != nullptr) {
      in_.refuse_at(position, "a parameter without a default follows one with a default");
    }
    out.parameters.emplace_back(name, std::move(missing));
  }
}

void StatementParser::macro_body(MacroBody& out, std::string_view end) {
  const ExpressionParser::MacroNames before = in_.macro_names();
  const int loops = std::exchange(loops_, 0);
  out.body = strict_body_to(end);
  loops_ = loops;
  out.uses_caller = in_.macro_names().caller > before.caller;
  out.uses_named = in_.macro_names().named > before.named;
  out.uses_more = in_.macro_names().more > before.more;
}

Macro StatementParser::macro_statement() {
  Macro out;
  out.macro.name = in_.expect_name();
  signature(out.macro);
  macro_body(out.macro, "endmacro");
  return out;
}

CallBlock StatementParser::call_statement() {
  CallBlock out;
  out.caller.name = "caller";
  if (in_.now().is_operator("(")) signature(out.caller);
  const Position position = in_.now().position;
  out.call = in_.expression();
  if (!std::holds_alternative<Call>(out.call->node)) in_.refuse_at(position, "expected a call");
  macro_body(out.caller, "endcall");
  return out;
}

FilterBlock StatementParser::filter_statement() {
  FilterBlock out;
  out.filters = in_.block_filters();
  out.body = strict_body_to("endfilter");
  return out;
}

With StatementParser::with_statement() {
  With out;
  while (in_.now().kind != TokenKind::kBlockEnd) {
    if (!out.values.empty()) in_.expect_operator(",");
    Target to = one_target(false);
    in_.expect_operator("=");
    out.values.emplace_back(std::move(to), in_.expression());
  }
  out.body = strict_body_to("endwith");
  return out;
}

Generation StatementParser::generation_statement() {
  MacroBody out;
  macro_body(out, "endgeneration");
  return {std::move(out.body)};
}

Body StatementParser::run() {
  Body out = body({});
  in_.refuse_unknown(0);
  return out;
}

}  // namespace

Body parse(std::string_view source, std::string_view where) {
  return StatementParser(source, where).run();
}

}  // namespace weft::data::jinja
