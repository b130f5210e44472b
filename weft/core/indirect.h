// A member whose type may be incomplete in the header of its owner.
#ifndef WEFT_CORE_INDIRECT_H_
#define WEFT_CORE_INDIRECT_H_

#include <memory>

namespace weft {

// A value behind a pointer: copies copy it, assignment keeps its address, and one that was moved
// from can only be destroyed and assigned to. Where T is complete, one source includes
// indirect-inl.h and instantiates it: template class Indirect<T>.
template <class T>
class Indirect {
 public:
  Indirect();
  explicit Indirect(T value);
  Indirect(const Indirect& other);
  Indirect(Indirect&& other) noexcept;
  Indirect& operator=(const Indirect& other);
  Indirect& operator=(Indirect&& other) noexcept;
  ~Indirect();

  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return value_.get(); }
  T* operator->() { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace weft

#endif  // WEFT_CORE_INDIRECT_H_
