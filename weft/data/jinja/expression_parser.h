// Parses the expressions of templates by recursive descent, in Jinja's order of precedence.
#ifndef WEFT_DATA_JINJA_EXPRESSION_PARSER_H_
#define WEFT_DATA_JINJA_EXPRESSION_PARSER_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/jinja/lexer.h"
#include "weft/data/jinja/syntax.h"

namespace weft::data::jinja {

class ExpressionParser {
 public:
  ExpressionParser(std::vector<Token> tokens, std::string_view where)
      : tokens_(std::move(tokens)), where_(where) {}

  const Token& now() const { return tokens_[at_]; }
  const Token& next() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  Token take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool skip_name(std::string_view name);
  bool skip_operator(std::string_view text);
  void expect_operator(std::string_view text);
  std::string expect_name();
  [[noreturn]] void refuse_now(std::string_view expected) const;
  template <class... Values>
  [[noreturn]] void refuse_at(Position position, MessageText<sizeof...(Values)> text,
                              const Values&... values) const {
    fail_at(where_, position, text, values...);
  }

  // An expression, or several with commas, which are a tuple.
  ExpressionPtr tuple(bool with_conditional = true);
  ExpressionPtr expression();
  // `filter(arguments) | filter`, applied to the text of a block.
  ExpressionPtr block_filters();

  // Names are counted that a macro has only if its body uses them.
  struct MacroNames {
    int caller = 0, named = 0, more = 0;
  };
  const MacroNames& macro_names() const { return macro_names_; }

  // While it lives, a level of nesting more. Throws FormatError where there are too many.
  class Level {
   public:
    explicit Level(ExpressionParser& parser);
    ~Level() { --parser_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    ExpressionParser& parser_;
  };
  // Filters and tests of unknown names are errors only where they are used, if they are in a branch
  // of `if`; elsewhere they are errors of the template.
  size_t unknown_count() const { return unknown_.size(); }
  void forgive_unknown(size_t before) { unknown_.resize(before); }
  void refuse_unknown(size_t before) const;

 private:
  using Node = decltype(Expression::node);
  // `below`: the height of the tree below.
  ExpressionPtr make(Position position, Node node, int below = 0) const;

  ExpressionPtr either();   // or
  ExpressionPtr both();     // and
  ExpressionPtr negated();  // not
  ExpressionPtr comparison();
  ExpressionPtr sum();
  ExpressionPtr concatenation();
  ExpressionPtr product();
  ExpressionPtr power();
  ExpressionPtr unary(bool with_filters = true);
  ExpressionPtr primary();
  ExpressionPtr string_literal();
  ExpressionPtr number();
  ExpressionPtr parentheses();
  ExpressionPtr list();
  ExpressionPtr dict();
  ExpressionPtr postfix(ExpressionPtr object);
  ExpressionPtr filters_and_tests(ExpressionPtr input);
  ExpressionPtr subscript(ExpressionPtr object);
  ExpressionPtr filter(ExpressionPtr input);
  ExpressionPtr test(ExpressionPtr input);
  ExpressionPtr call(ExpressionPtr function);
  CallArguments arguments();
  std::string dotted_name();
  void note_name(std::string_view name);

  std::vector<Token> tokens_;
  std::string_view where_;
  size_t at_ = 0;
  int level_ = 0;
  struct Unknown {
    Position position;
    std::string name;
  };
  std::vector<Unknown> unknown_;
  MacroNames macro_names_;
};

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_EXPRESSION_PARSER_H_
