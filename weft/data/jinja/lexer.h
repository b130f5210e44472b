// Templates cut into tokens: text, and what lies between {{ }} and {% %}.
#ifndef WEFT_DATA_JINJA_LEXER_H_
#define WEFT_DATA_JINJA_LEXER_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/core/error.h"

namespace weft::data::jinja {

// Both counted from 1; a column is a byte.
struct Position {
  int line = 1, column = 1;
};

// Throws FormatError: "model.gguf: tokenizer.chat_template: line 3, column 7: ...".
template <class... Values>
[[noreturn]] void fail_at(std::string_view where, Position position,
                          MessageText<sizeof...(Values)> text, const Values&... values) {
  fail<FormatError>(where, "line {}, column {}: {}", position.line, position.column,
                    message(text, {MessageValue(values)...}));
}

enum class TokenKind {
  kText,
  kPrintBegin,  // {{
  kPrintEnd,
  kBlockBegin,  // {%
  kBlockEnd,
  kName,
  kString,  // decoded
  kInteger,
  kFloat,
  kOperator,
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  Position position;

  bool is_operator(std::string_view value) const {
    return kind == TokenKind::kOperator && text == value;
  }
  bool is_name(std::string_view value) const { return kind == TokenKind::kName && text == value; }
};

// The last token is kEnd. White space around blocks is removed as Transformers has it: trim_blocks
// and lstrip_blocks. Throws FormatError, prefixed with `where`.
std::vector<Token> tokens_of(std::string_view source, std::string_view where);

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_LEXER_H_
