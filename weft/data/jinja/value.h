// Values of templates: those of Python that a template can make. They are immutable, namespaces and
// loops aside, and cheap to copy.
#ifndef WEFT_DATA_JINJA_VALUE_H_
#define WEFT_DATA_JINJA_VALUE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weft/data/jinja/marked_text.h"

namespace weft::data::jinja {

class Value;
struct Loop;

// A name or an element that does not exist; it is printed as nothing.
struct Undefined {
  std::shared_ptr<const std::string> name = {};  // for errors
  bool is_forbidden = false;                     // exists in Python, but changes its object
};

struct None {};

struct String {
  MarkedText text;
  bool is_markup = false;  // what is added to it is escaped as HTML, as the filter `safe` has it
};

enum class SequenceKind { kList, kTuple, kRange, kView, kGenerator };

struct Sequence {
  SequenceKind kind = SequenceKind::kList;
  std::vector<Value> items;
  int depth = 1;                      // of sequences and dicts in it
  mutable bool is_exhausted = false;  // of a generator
};

struct Dict {
  std::vector<std::pair<Value, Value>> entries;  // in the order of insertion
  int depth = 1;
};

struct Namespace {
  std::map<std::string, Value, std::less<>> attributes;
};

struct Arguments {
  std::vector<Value> values;
  std::vector<std::pair<std::string, Value>> named;
};

struct Callable {
  std::string name;  // for errors
  std::function<Value(const Arguments& arguments)> call;
};

class Value {
 public:
  using Variant = std::variant<Undefined, None, bool, int64_t, double,
                               std::shared_ptr<const String>, std::shared_ptr<const Sequence>,
                               std::shared_ptr<const Dict>, std::shared_ptr<Namespace>,
                               std::shared_ptr<const Callable>, std::shared_ptr<Loop>>;

  Value() = default;                                        // undefined
  Value(Variant variant) : variant_(std::move(variant)) {}  // NOLINT
  Value(bool value) : variant_(value) {}                    // NOLINT
  Value(int64_t value) : variant_(value) {}                 // NOLINT
  Value(double value) : variant_(value) {}                  // NOLINT
  static Value none() { return Variant(None{}); }
  static Value undefined(std::string_view name);

  const Variant& variant() const { return variant_; }
  template <class T>
  bool is() const {
    return std::holds_alternative<T>(variant_);
  }
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&variant_);
  }
  // Null for values of other kinds.
  const String* string() const { return pointee<const String>(); }
  const Sequence* sequence() const { return pointee<const Sequence>(); }
  const Dict* dict() const { return pointee<const Dict>(); }
  const Callable* callable() const { return pointee<const Callable>(); }
  Namespace* name_space() const { return pointee<Namespace>(); }
  Loop* loop() const { return pointee<Loop>(); }
  std::shared_ptr<const Sequence> shared_sequence() const {
    const auto* found = get_if<std::shared_ptr<const Sequence>>();
    return found == nullptr ? nullptr : *found;
  }

  bool is_undefined() const { return is<Undefined>(); }
  bool is_none() const { return is<None>(); }
  bool is_sequence(SequenceKind kind) const {
    return sequence() != nullptr && sequence()->kind == kind;
  }

 private:
  template <class T>
  T* pointee() const {
    const auto* found = std::get_if<std::shared_ptr<T>>(&variant_);
    return found == nullptr ? nullptr : found->get();
  }

  Variant variant_;
};

// The variable `loop`.
struct Loop {
  std::shared_ptr<const Sequence> items;
  size_t index = 0;
  std::vector<Value> last_changed = {};  // the arguments of the last call of changed()
  bool has_changed = false;              // it was called
};

class Runtime;

// As bool() of Python.
bool is_true(const Value& value);
// The name of the type in Python, for errors.
std::string_view type_name(const Value& value);
// The levels of sequences and dicts in a value.
int depth_of(const Value& value);

// Numbers, true and false among them; false for other values.
bool is_number(const Value& value);
double to_double(const Value& value);
// A whole number, or true or false; throws RenderError for other values.
int64_t to_integer(const Value& value, std::string_view name);

bool equal(const Value& a, const Value& b, Runtime& runtime);
// Below 0: a before b. Throws RenderError for values that have no order.
int compare(const Value& a, const Value& b, Runtime& runtime);

// The value of a key; null if there is none.
const Value* find(const Dict& dict, const Value& key, Runtime& runtime);
const Value* find(const Dict& dict, std::string_view key);

// What iteration gives: elements, keys of a dict, characters. Generators are then exhausted. Throws
// RenderError for other values.
std::vector<Value> items_of(const Value& value, Runtime& runtime);

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_VALUE_H_
