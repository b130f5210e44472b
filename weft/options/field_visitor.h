// A visitor of options behind virtual functions, for fields() that are defined in a source.
#ifndef WEFT_OPTIONS_FIELD_VISITOR_H_
#define WEFT_OPTIONS_FIELD_VISITOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/options/fields.h"
#include "weft/options/period.h"

namespace weft::options {

// A pointer to the value of an option; the alternative is its type. An optional number without a
// value is written "auto".
using OptionSlot =
    std::variant<bool*, int64_t*, double*, std::optional<int64_t>*, std::optional<double>*,
                 std::string*, Period*, Selection*, std::vector<int64_t>*, std::vector<double>*,
                 std::vector<std::string>*>;

// Passes on options and scopes; not the titles of groups and the order.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;

  template <class T>
  void operator()(std::string_view name, T& field, const Meta& meta = {}) {
    visit(name, &field, meta);
  }
  virtual void enter(const Scope& scope) = 0;
  virtual void leave() = 0;

 private:
  virtual void visit(std::string_view name, OptionSlot slot, const Meta& meta) = 0;
};

// The visitor v as a FieldVisitor.
template <class V>
class FieldVisitorOf final : public FieldVisitor {
 public:
  explicit FieldVisitorOf(V& v) : v_(v) {}

  void enter(const Scope& scope) override {
    if constexpr (requires { v_.enter(scope); }) v_.enter(scope);
  }
  void leave() override {
    if constexpr (requires { v_.leave(); }) v_.leave();
  }

 private:
  void visit(std::string_view name, OptionSlot slot, const Meta& meta) override {
    std::visit([&](auto* field) { v_(name, *field, meta); }, slot);
  }

  V& v_;
};

}  // namespace weft::options

#endif  // WEFT_OPTIONS_FIELD_VISITOR_H_
