// Messages with values, formatted where no header sees the formatting library.
#ifndef WEFT_CORE_MESSAGE_H_
#define WEFT_CORE_MESSAGE_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace weft {

// One value of a message. It refers to the text of a string, which must outlive it.
class MessageValue {
 public:
  enum class Type : uint8_t { kBool, kChar, kSigned, kUnsigned, kFloat, kDouble, kText };

  MessageValue(bool value) : type_(Type::kBool), unsigned_(value) {}
  MessageValue(char value) : type_(Type::kChar), char_(value) {}
  MessageValue(int value) : MessageValue(static_cast<long long>(value)) {}
  MessageValue(long value) : MessageValue(static_cast<long long>(value)) {}
  MessageValue(long long value) : type_(Type::kSigned), signed_(value) {}
  MessageValue(unsigned value) : MessageValue(static_cast<unsigned long long>(value)) {}
  MessageValue(unsigned long value) : MessageValue(static_cast<unsigned long long>(value)) {}
  MessageValue(unsigned long long value) : type_(Type::kUnsigned), unsigned_(value) {}
  MessageValue(float value) : type_(Type::kFloat), float_(value) {}
  MessageValue(double value) : type_(Type::kDouble), double_(value) {}
  MessageValue(std::string_view value) : type_(Type::kText), text_(value) {}
  MessageValue(const std::string& value) : MessageValue(std::string_view(value)) {}
  MessageValue(const char* value) : MessageValue(std::string_view(value)) {}
  MessageValue(const void*) = delete;  // else a bool

  // Calls f with the value in its own type.
  template <class F>
  void visit(F&& f) const {
    switch (type_) {
      case Type::kBool: return f(unsigned_ != 0);
      case Type::kChar: return f(char_);
      case Type::kSigned: return f(signed_);
      case Type::kUnsigned: return f(unsigned_);
      case Type::kFloat: return f(float_);
      case Type::kDouble: return f(double_);
      case Type::kText: return f(text_);
    }
  }

 private:
  Type type_;
  union {
    char char_;
    long long signed_;
    unsigned long long unsigned_;
    float float_;
    double double_;
    std::string_view text_;
  };
};

// Not constexpr: a call while compiling is an error that shows this name.
void message_needs_one_pair_of_braces_for_each_value();

// A literal with "{}" for each of N values, and "{{" and "}}" for braces, which is checked when it
// is compiled. A value in another form, such as "{:.3f}", is formatted by the caller.
template <size_t N>
class MessageText {
 public:
  template <std::convertible_to<std::string_view> Literal>
  consteval MessageText(const Literal& literal) : text_(literal) {
    size_t fields = 0;
    for (size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] != '{' && text_[i] != '}') continue;
      const std::string_view pair = text_.substr(i++, 2);
      if (pair == "{}") {
        ++fields;
      } else if (pair != "{{" && pair != "}}") {
        message_needs_one_pair_of_braces_for_each_value();
      }
    }
    if (fields != N) message_needs_one_pair_of_braces_for_each_value();
  }

  operator std::string_view() const { return text_; }

 private:
  std::string_view text_;
};

// The text with the values in place of its "{}".
std::string message(std::string_view text, std::initializer_list<MessageValue> values);

}  // namespace weft

#endif  // WEFT_CORE_MESSAGE_H_
