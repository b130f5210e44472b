#include "weft/data/jinja/lexer.h"

#include <algorithm>
#include <array>

#include "weft/data/jinja/characters.h"
#include "weft/data/jinja/string_literal.h"

namespace weft::data::jinja {
namespace {

constexpr std::string_view kOperators[] = {"//", "**", "==", "!=", ">=", "<=", "+", "-", "*",
                                           "/",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                           ">",  "<",  "=",  ".",  ":",  "|",  ",", ";"};

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}
bool is_decimal(char c) { return c >= '0' && c <= '9'; }

// Line breaks become \n; one at the end is left out.
std::string normalised_source(std::string_view source) {
  std::string out;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      out += source[i];
    }
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

class Lexer {
 public:
  Lexer(std::string_view source, std::string_view where)
      : source_(normalised_source(source)), where_(where) {}

  std::vector<Token> run();

 private:
  std::string_view rest() const { return std::string_view(source_).substr(at_); }
  bool skip(std::string_view text);
  void skip_spaces();
  void advance(size_t end);
  [[noreturn]] void refuse_here(std::string_view message) const {
    fail_at(where_, position_, "{}", message);
  }

  void read_text(size_t end);
  void read_comment();
  bool read_raw();
  void read_tag(TokenKind begin, TokenKind end, std::string_view closing);
  bool read_end(TokenKind kind, std::string_view closing);
  void read_token();
  void read_number();
  void read_string();
  void read_operator();
  void add(TokenKind kind, std::string text) { out_.push_back({kind, std::move(text), position_}); }

  std::string source_;
  std::string_view where_;
  size_t at_ = 0;
  Position position_;
  bool begins_line_ = true;  // the last tag ended a line
  std::string brackets_;     // that are open
  std::vector<Token> out_;
};

void Lexer::advance(size_t end) {
  for (; at_ < end; ++at_) {
    position_ = source_[at_] == '\n' ? Position{position_.line + 1, 1}
                                     : Position{position_.line, position_.column + 1};
  }
}

bool Lexer::skip(std::string_view text) {
  if (!rest().starts_with(text)) return false;
  advance(at_ + text.size());
  return true;
}

void Lexer::skip_spaces() {
  char32_t c = 0;
  while (at_ < source_.size()) {
    const size_t size = decode_character(rest(), c);
    if (!is_python_space(c)) return;
    advance(at_ + size);
  }
}

std::string_view without_last_spaces(std::string_view text) {
  char32_t c = 0;
  while (!text.empty()) {
    const size_t begin = last_character(text);
    decode_character(text.substr(begin), c);
    if (!is_python_space(c)) break;
    text = text.substr(0, begin);
  }
  return text;
}

// The text before a tag that begins at `end`, which its sign may strip.
void Lexer::read_text(size_t end) {
  std::string_view text = std::string_view(source_).substr(at_, end - at_);
  const std::string_view tag = std::string_view(source_).substr(end);
  const char sign = tag.size() > 2 ? tag[2] : ' ';
  if (sign == '-') {
    text = without_last_spaces(text);
  } else if (sign != '+' && tag.size() > 1 && tag[1] != '{') {
    const size_t line = text.rfind('\n') + 1;  // 0 if there is none
    if ((line > 0 || begins_line_) && without_last_spaces(text.substr(line)).empty()) {
      text = text.substr(0, line);
    }
  }
  if (!text.empty()) add(TokenKind::kText, std::string(text));
  advance(end);
}

void Lexer::read_comment() {
  const size_t content = at_ + 2;
  const size_t end = source_.find("#}", content);
  if (end == source_.npos) refuse_here("a comment does not end; expected #}");
  const char sign = end > content ? source_[end - 1] : ' ';
  advance(end + 2);
  const size_t before = at_;
  if (sign == '-') {
    skip_spaces();
  } else if (sign != '+') {
    skip("\n");
  }
  begins_line_ = at_ > before && source_[at_ - 1] == '\n';
}

// {% raw %} and the text up to {% endraw %}; false if there is none here.
bool Lexer::read_raw() {
  const size_t begin = at_;
  const Position position = position_;
  skip("{%");
  if (!skip("-")) skip("+");
  skip_spaces();
  const bool is_raw = skip("raw");
  skip_spaces();
  const bool strips = is_raw && skip("-%}");
  if (!strips && !(is_raw && skip("%}"))) {
    at_ = begin;
    position_ = position;
    return false;
  }
  if (strips) skip_spaces();
  begins_line_ = source_[at_ - 1] == '\n';
  for (size_t end = at_; (end = source_.find("{%", end)) != source_.npos; end += 2) {
    size_t i = end + 2;
    if (i < source_.size() && (source_[i] == '-' || source_[i] == '+')) ++i;
    while (i < source_.size() && is_python_space(static_cast<unsigned char>(source_[i]))) ++i;
    if (std::string_view(source_).substr(i, 6) != "endraw") continue;
    read_text(end);
    advance(i + 6);
    skip_spaces();
    if (read_end(TokenKind::kText, "%}")) return true;
    refuse_here("expected %} after endraw");
  }
  refuse_here("{% raw %} does not end; expected {% endraw %}");
}

// The end of a tag, and the white space that it takes. No token is made of kText.
bool Lexer::read_end(TokenKind kind, std::string_view closing) {
  const bool is_block = closing == "%}";
  const Position position = position_;
  const bool strips = rest().starts_with('-') && rest().substr(1).starts_with(closing);
  const bool keeps = is_block && rest().starts_with("+%}");
  if (!strips && !keeps && !rest().starts_with(closing)) return false;
  advance(at_ + closing.size() + (strips || keeps ? 1 : 0));
  const size_t before = at_;
  if (strips) {
    skip_spaces();
  } else if (is_block && !keeps) {
    skip("\n");
  }
  begins_line_ = at_ > before && source_[at_ - 1] == '\n';
  if (kind != TokenKind::kText) out_.push_back({kind, {}, position});
  return true;
}

void Lexer::read_tag(TokenKind begin, TokenKind end, std::string_view closing) {
  add(begin, {});
  advance(at_ + 2);
  if (!skip("-")) skip("+");
  brackets_.clear();
  while (true) {
    skip_spaces();
    if (brackets_.empty() && read_end(end, closing)) return;
    if (at_ >= source_.size()) {
      refuse_here(end == TokenKind::kBlockEnd ? "the template ends in a tag; expected %}"
                                              : "the template ends in a tag; expected }}");
    }
    read_token();
  }
}

void Lexer::read_token() {
  const char c = source_[at_];
  if (is_decimal(c)) return read_number();
  if (is_name_byte(c)) {
    size_t end = at_;
    while (end < source_.size() && is_name_byte(source_[end])) ++end;
    add(TokenKind::kName, source_.substr(at_, end - at_));
    return advance(end);
  }
  if (c == '"' || c == '\'') return read_string();
  read_operator();
}

// 12, 1_000, 0x1F, 0b1, 0o7, 1.5, 1e3, 1.5e-3
void Lexer::read_number() {
  const auto digits_from = [&](size_t i, auto is_digit_of) {
    while (i < source_.size() &&
           (is_digit_of(source_[i]) ||
            (source_[i] == '_' && i + 1 < source_.size() && is_digit_of(source_[i + 1])))) {
      ++i;
    }
    return i;
  };
  const auto is_hex = [](char c) {
    return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  const char next = at_ + 1 < source_.size() ? static_cast<char>(source_[at_ + 1] | 0x20) : ' ';
  const bool has_base = source_[at_] == '0' && (next == 'x' || next == 'b' || next == 'o') &&
                        at_ + 2 < source_.size() && is_hex(source_[at_ + 2]);
  size_t end = has_base ? digits_from(at_ + 2, is_hex) : digits_from(at_, is_decimal);
  TokenKind kind = TokenKind::kInteger;
  const auto at_digit = [&](size_t i) { return i < source_.size() && is_decimal(source_[i]); };
  const auto take_real = [&](size_t from) {
    end = digits_from(from, is_decimal);
    kind = TokenKind::kFloat;
  };
  if (!has_base && end < source_.size() && source_[end] == '.' && at_digit(end + 1)) {
    take_real(end + 1);
  }
  if (!has_base && end < source_.size() && (source_[end] | 0x20) == 'e') {
    const size_t sign =
        end + 1 < source_.size() && (source_[end + 1] == '-' || source_[end + 1] == '+') ? 1 : 0;
    if (at_digit(end + 1 + sign)) take_real(end + 1 + sign);
  }
  std::string text = source_.substr(at_, end - at_);
  std::erase(text, '_');
  add(kind, std::move(text));
  advance(end);
}

void Lexer::read_string() {
  size_t end = at_ + 1;
  while (end < source_.size() && source_[end] != source_[at_]) end += source_[end] == '\\' ? 2 : 1;
  if (end >= source_.size()) refuse_here("a string does not end");
  const std::optional<std::string> text =
      decoded_literal(std::string_view(source_).substr(at_ + 1, end - at_ - 1));
  if (!text) refuse_here("a string has an escape that is not supported");
  add(TokenKind::kString, *text);
  advance(end + 1);
}

void Lexer::read_operator() {
  const auto found = std::ranges::find_if(
      kOperators, [&](std::string_view text) { return rest().starts_with(text); });
  if (found == std::end(kOperators)) {
    fail_at(where_, position_, "unexpected {}", quote(rest().substr(0, 1)));
  }
  const char c = found->front();
  if (c == '(' || c == '[' || c == '{') {
    brackets_ += c == '(' ? ')' : c == '[' ? ']' : '}';
  } else if (c == ')' || c == ']' || c == '}') {
    if (brackets_.empty() || brackets_.back() != c) {
      fail_at(
          where_, position_, "unexpected {}; expected {}", quote({&c, 1}),
          brackets_.empty() ? "the end of the tag" : quote(brackets_.substr(brackets_.size() - 1)));
    }
    brackets_.pop_back();
  }
  add(TokenKind::kOperator, std::string(*found));
  advance(at_ + found->size());
}

std::vector<Token> Lexer::run() {
  while (at_ < source_.size()) {
    size_t begin = at_;
    const auto is_tag = [&](size_t i) {
      return source_[i] == '{' && i + 1 < source_.size() &&
             (source_[i + 1] == '{' || source_[i + 1] == '%' || source_[i + 1] == '#');
    };
    while (begin < source_.size() && !is_tag(begin)) ++begin;
    if (begin == source_.size()) {
      add(TokenKind::kText, source_.substr(at_));
      advance(begin);
      break;
    }
    read_text(begin);
    if (source_[begin + 1] == '#') {
      read_comment();
    } else if (source_[begin + 1] == '{') {
      read_tag(TokenKind::kPrintBegin, TokenKind::kPrintEnd, "}}");
    } else if (!read_raw()) {
      read_tag(TokenKind::kBlockBegin, TokenKind::kBlockEnd, "%}");
    }
  }
  add(TokenKind::kEnd, {});
  return std::move(out_);
}

}  // namespace

std::vector<Token> tokens_of(std::string_view source, std::string_view where) {
  return Lexer(source, where).run();
}

}  // namespace weft::data::jinja
