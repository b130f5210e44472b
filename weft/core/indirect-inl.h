// The definitions of indirect.h.
#ifndef WEFT_CORE_INDIRECT_INL_H_
#define WEFT_CORE_INDIRECT_INL_H_

#include <utility>

#include "weft/core/indirect.h"

namespace weft {

template <class T>
Indirect<T>::Indirect() : value_(std::make_unique<T>()) {}

template <class T>
Indirect<T>::Indirect(T value) : value_(std::make_unique<T>(std::move(value))) {}

template <class T>
Indirect<T>::Indirect(const Indirect& other) : value_(std::make_unique<T>(*other)) {}

template <class T>
Indirect<T>::Indirect(Indirect&& other) noexcept = default;

template <class T>
Indirect<T>& Indirect<T>::operator=(const Indirect& other) {
  if (value_ == nullptr) {
    value_ = std::make_unique<T>(*other);
  } else {
    *value_ = *other;
  }
  return *this;
}

template <class T>
Indirect<T>& Indirect<T>::operator=(Indirect&& other) noexcept {
  if (value_ == nullptr) {
    value_ = std::move(other.value_);
  } else {
    *value_ = std::move(*other);
  }
  return *this;
}

template <class T>
Indirect<T>::~Indirect() = default;

}  // namespace weft

#endif  // WEFT_CORE_INDIRECT_INL_H_
