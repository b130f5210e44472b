// Variables of templates: scopes within scopes.
#ifndef WEFT_DATA_JINJA_SCOPE_H_
#define WEFT_DATA_JINJA_SCOPE_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "weft/data/jinja/value.h"

namespace weft::data::jinja {

class Scope {
 public:
  explicit Scope(std::shared_ptr<const Scope> outer = nullptr) : outer_(std::move(outer)) {}

  void set(std::string_view name, Value value) {
    variables_.insert_or_assign(std::string(name), std::move(value));
  }
  // Of this scope or those around it; null if there is none.
  const Value* find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer_.get()) {
      const auto found = scope->variables_.find(name);
      if (found != scope->variables_.end()) return &found->second;
    }
    return nullptr;
  }
  void clear() { variables_.clear(); }

 private:
  std::shared_ptr<const Scope> outer_;
  std::map<std::string, Value, std::less<>> variables_;
};

using ScopePtr = std::shared_ptr<Scope>;

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_SCOPE_H_
