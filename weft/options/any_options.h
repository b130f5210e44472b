// A type-erased option struct, for code that stores and compares the options of many commands.
#ifndef WEFT_OPTIONS_ANY_OPTIONS_H_
#define WEFT_OPTIONS_ANY_OPTIONS_H_

#include <memory>
#include <utility>

#include "weft/options/option_table.h"

namespace weft::options {

class AnyOptions {
 public:
  template <class T>
  explicit AnyOptions(T options) : held_(std::make_shared<Held<T>>(std::move(options))) {}

  // The options by name. Valid while this object or a copy of it exists.
  OptionTable table() const { return held_->table(); }
  // Options of the same type with their default values.
  AnyOptions defaults() const { return AnyOptions(held_->defaults()); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual OptionTable table() = 0;
    virtual std::shared_ptr<Base> defaults() const = 0;
  };
  template <class T>
  struct Held : Base {
    explicit Held(T value) : options(std::move(value)) {}
    OptionTable table() override {
      OptionTable all;
      all.add(options);
      return all;
    }
    std::shared_ptr<Base> defaults() const override { return std::make_shared<Held<T>>(T{}); }
    T options;
  };
  explicit AnyOptions(std::shared_ptr<Base> held) : held_(std::move(held)) {}

  std::shared_ptr<Base> held_;
};

}  // namespace weft::options

#endif  // WEFT_OPTIONS_ANY_OPTIONS_H_
