// The formats of Python's str: % and format().
#include <array>
#include <charconv>
#include <cstdio>

#include "weft/data/jinja/characters.h"
#include "weft/data/jinja/text_functions.h"
#include "weft/data/jinja/value_text.h"

namespace weft::data::jinja {
namespace {

// [0][width][.precision]kind
struct Format {
  bool fills_zeros = false, is_left = false;
  int64_t width = 0;
  int precision = -1;
  char kind = 's';
};

int64_t take_digits(std::string_view& text) {
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error == std::errc::result_out_of_range) refuse("a format with a number that is too large");
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return out;
}

// Takes a format from the beginning of the text, up to its kind.
Format take_format(std::string_view& text) {
  Format out;
  for (; !text.empty() && (text[0] == '0' || text[0] == '-'); text.remove_prefix(1)) {
    (text[0] == '0' ? out.fills_zeros : out.is_left) = true;
  }
  if (!text.empty() && text[0] >= '1' && text[0] <= '9') out.width = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    constexpr int64_t kMostDigits = 100;
    const int64_t digits = take_digits(text);
    if (digits < 0 || digits > kMostDigits) refuse("a format with {} digits", digits);
    out.precision = static_cast<int>(digits);
  }
  return out;
}

std::string number_text(const Value& value, const Format& format) {
  if (!is_number(value)) refuse("a number in a format, got {}", type_name(value));
  if (format.kind == 'd' || format.kind == 'i') {
    if (const auto* real = value.get_if<double>()) {
      if (!(*real > -9e18 && *real < 9e18)) refuse("{} as a whole number", *real);
      return std::to_string(static_cast<int64_t>(*real));
    }
    return std::to_string(to_integer(value, "%d"));
  }
  if (format.kind == 'x') {
    std::array<char, 24> hex{};
    const int64_t number = to_integer(value, "%x");
    std::snprintf(hex.data(), hex.size(), number < 0 ? "-%llx" : "%llx",
                  static_cast<unsigned long long>(number < 0 ? -static_cast<uint64_t>(number)
                                                             : static_cast<uint64_t>(number)));
    return hex.data();
  }
  std::array<char, 512> real{};
  constexpr int kDefaultDigits = 6;
  const int digits = format.precision < 0 ? kDefaultDigits : format.precision;
  const char* pattern = format.kind == 'e' ? "%.*e" : format.kind == 'g' ? "%.*g" : "%.*f";
  std::snprintf(real.data(), real.size(), pattern, digits, to_double(value));
  return real.data();
}

void append_formatted(const Value& value, const Format& format, Runtime& runtime,
                      TextBuilder& out) {
  MarkedText text;
  bool is_text = false;
  switch (format.kind) {
    case 's':
      text = str(value, runtime);
      is_text = true;
      break;
    case 'r': {
      TextBuilder repr(runtime);
      append_repr(value, runtime, repr);
      text = repr.take();
      is_text = true;
      break;
    }
    case 'd':
    case 'i':
    case 'x':
    case 'e':
    case 'f':
    case 'g': text = MarkedText(number_text(value, format)); break;
    default: refuse("a format of kind {} is not supported", quote({&format.kind, 1}));
  }
  if (is_text && format.precision >= 0) {
    text = text.part(0, byte_offset(text.text(), format.precision));
  }
  const int64_t missing = format.width - character_count(text.text());
  const bool zeros = format.fills_zeros && !is_text && !format.is_left;
  const bool is_negative = zeros && text.text().starts_with('-');
  if (is_negative) out.append("-");
  if (missing > 0 && !format.is_left) out.fill(static_cast<size_t>(missing), zeros ? "0" : " ");
  out.append(text, is_negative ? 1 : 0, text.size());
  if (missing > 0 && format.is_left) out.fill(static_cast<size_t>(missing), " ");
}

// The values of a % in their order, or by their names.
class PercentValues {
 public:
  explicit PercentValues(const Value& values) : values_(values) {
    if (values.is_sequence(SequenceKind::kTuple))
      list_ = values.sequence()->items;
    else
      list_ = {values};
  }
  const Value& next() {
    if (taken_ == list_.size()) refuse("fewer values than the format has");
    return list_[taken_++];
  }
  const Value& named(std::string_view name) {
    const Dict* dict = values_.dict();
    const Value* found = dict == nullptr ? nullptr : find(*dict, name);
    if (found == nullptr) refuse("the format has {}, which is not given", quote(name));
    taken_ = list_.size();
    return *found;
  }
  void finish() const {
    if (taken_ < list_.size() && values_.dict() == nullptr)
      refuse("more values than the format has");
  }

 private:
  const Value& values_;
  std::vector<Value> list_;
  size_t taken_ = 0;
};

}  // namespace

MarkedText percent_formatted(const MarkedText& text, const Value& values, Runtime& runtime) {
  TextBuilder out(runtime);
  PercentValues given(values);
  const std::string_view all = text.text();
  size_t i = 0;
  for (size_t begin; (begin = all.find('%', i)) != all.npos;) {
    out.append(text, i, begin);
    std::string_view rest = all.substr(begin + 1);
    std::string_view name;
    const bool is_named = rest.starts_with('(');
    if (is_named) {
      const size_t end = rest.find(')');
      if (end == rest.npos) refuse("a format without )");
      name = rest.substr(1, end - 1);
      rest.remove_prefix(end + 1);
    }
    Format format = take_format(rest);
    if (rest.empty()) refuse("an incomplete format");
    format.kind = rest[0];
    rest.remove_prefix(1);
    if (format.kind == '%') {
      out.append("%");
    } else {
      append_formatted(is_named ? given.named(name) : given.next(), format, runtime, out);
    }
    i = all.size() - rest.size();
  }
  out.append(text, i, all.size());
  given.finish();
  return out.take();
}

MarkedText brace_formatted(const MarkedText& text, const Arguments& values, Runtime& runtime) {
  TextBuilder out(runtime);
  const std::string_view all = text.text();
  size_t used = 0;
  const auto value_of = [&](std::string_view name) -> const Value& {
    size_t index = used;
    if (name.empty()) {
      ++used;
    } else if (const auto [end, error] =
                   std::from_chars(name.data(), name.data() + name.size(), index);
               error != std::errc() || end != name.data() + name.size()) {
      for (const auto& [key, value] : values.named) {
        if (key == name) return value;
      }
      refuse("format() has no {}", quote(name));
    }
    if (index >= values.values.size()) refuse("format() has too few values");
    return values.values[index];
  };
  for (size_t i = 0; i < all.size();) {
    const size_t begin = std::min(all.find_first_of("{}", i), all.size());
    out.append(text, i, begin);
    if (begin == all.size()) break;
    i = begin + 1;
    if (i < all.size() && all[i] == all[begin]) {
      out.append(text, begin, i++);
      continue;
    }
    const size_t end = all.find('}', i);
    if (all[begin] == '}' || end == all.npos) refuse("format() with a brace that has no pair");
    const std::string_view field = all.substr(i, end - i);
    const size_t colon = std::min(field.find(':'), field.size());
    std::string_view spec = field.substr(std::min(colon + 1, field.size()));
    const Value& value = value_of(field.substr(0, colon));
    Format format = take_format(spec);
    if (spec.size() > 1) refuse("format() with {} is not supported", quote(field));
    if (!spec.empty()) format.kind = spec[0];
    format.is_left = format.kind == 's' && !is_number(value);
    if (spec.empty() && is_number(value) && !value.is<bool>() && format.width > 0) {
      format.kind = value.is<double>() ? 'f' : 'd';
    }
    append_formatted(value, format, runtime, out);
    i = end + 1;
  }
  return out.take();
}

}  // namespace weft::data::jinja
