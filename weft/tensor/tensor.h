// A tensor is a value handle to shared storage: copies share the memory. Shapes are row-major; 2-D
// views may have a row stride.
#ifndef WEFT_TENSOR_TENSOR_H_
#define WEFT_TENSOR_TENSOR_H_

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/core/dtype.h"
#include "weft/core/error.h"
#include "weft/core/shape.h"
#include "weft/kernels/view.h"

namespace weft {

namespace kernels {
class Backend;
}

class Tensor {
 public:
  Tensor() = default;  // empty: no storage, unlike a tensor of size 0

  // Uninitialised memory from the pool. The number of rows is padded in memory, not in the shape,
  // so that matrix products may run on a rounded-up row count.
  static Tensor empty(Shape shape, DType dtype = DType::kF32);
  static Tensor zeros(Shape shape, DType dtype = DType::kF32);
  // Zeros outside the pool, in pages that take no memory until they are written; for large tensors
  // of which little is used. Throws Error if the system has no addresses left.
  static Tensor zeros_on_demand(Shape shape, DType dtype = DType::kF32);
  static Tensor full(Shape shape, double value, DType dtype = DType::kF32);
  // Copies `values`. Throws ShapeError if the sizes differ.
  template <class T>
  static Tensor from(std::span<const T> values, Shape shape) {
    if (static_cast<int64_t>(values.size()) != shape.size()) {
      fail<ShapeError>("tensor", "{} values do not fill {}", values.size(), shape.text());
    }
    Tensor out = empty(shape, dtype_of<T>());
    std::memcpy(out.bytes(), values.data(), values.size() * sizeof(T));
    return out;
  }
  template <class T>
  static Tensor from(const std::vector<T>& values, Shape shape) {
    return from(std::span<const T>(values), shape);
  }
  // A read-only view of memory that `owner` (such as a mapped file) keeps alive.
  static Tensor borrow(std::shared_ptr<const void> owner, const void* data, Shape shape,
                       DType dtype);

  explicit operator bool() const { return static_cast<bool>(storage_); }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t size() const { return shape_.size(); }
  int64_t rows() const { return shape_.rows(); }
  int64_t cols() const { return shape_.cols(); }
  int64_t stride() const { return stride_; }  // elements between the starts of consecutive rows
  bool is_dense() const { return stride_ == cols() || rows() <= 1; }

  // A pointer to the first element. Throws ShapeError if T is not the tensor's type.
  template <class T>
  T* data() const {
    if (dtype_of<T>() != dtype_) {
      fail<ShapeError>("tensor", "data of {} read as {}", name_of(dtype_), name_of(dtype_of<T>()));
    }
    return reinterpret_cast<T*>(bytes());
  }
  std::byte* bytes() const { return storage_ ? storage_->data + offset_ : nullptr; }
  // The elements of a dense tensor.
  template <class T>
  std::span<T> span() const {
    if (!is_dense()) fail<ShapeError>("tensor", "span of a view with stride {}", stride_);
    return {data<T>(), static_cast<size_t>(size())};
  }
  // The value of an F32 or F64 tensor with one element; throws ShapeError otherwise.
  double item() const;

  Tensor row_range(int64_t begin, int64_t end) const;  // view [end - begin, cols]
  Tensor col_range(int64_t begin, int64_t end) const;  // view [rows, end - begin]
  Tensor reshape(Shape shape) const;                   // view; the tensor must be dense
  // A view of a dense U8 tensor from byte `offset` as another type. Throws ShapeError if it is too
  // short.
  Tensor reinterpret(size_t offset, Shape shape, DType dtype) const;
  // A dense view of the storage from this view's first element, which may extend past this view's
  // end (as torch.as_strided). Throws ShapeError if the storage is too short.
  Tensor as_strided(Shape shape) const;
  Tensor clone() const;          // dense copy
  Tensor to(DType dtype) const;  // dense converted copy

  // The tensor as [rows, cols] for kernels.
  kernels::View view() const;
  operator kernels::View() const {
    return view();
  }  // NOLINT: tensors are passed to kernels directly

  bool shares_storage_with(const Tensor& other) const { return storage_ == other.storage_; }
  // Whether no other handle shares the storage, so that it may be written in place.
  bool is_unique() const { return storage_.use_count() == 1; }
  // The offset of the first element in the storage, in elements: a parameter's position in the flat
  // buffer.
  int64_t storage_offset() const {
    return static_cast<int64_t>(offset_) / static_cast<int64_t>(size_of(dtype_));
  }

  // The tape node that produced this value, -1 for a constant. See autograd/tape.h.
  int32_t node = -1;

 private:
  struct Storage {
    std::byte* data = nullptr;
    size_t bytes = 0;
    std::shared_ptr<const void> owner;

    Storage(std::byte* memory, size_t size) : data(memory), bytes(size) {}
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;
    ~Storage();
  };
  std::shared_ptr<Storage> storage_;
  size_t offset_ = 0;  // bytes
  int64_t stride_ = 0;
  int64_t row_capacity_ = 0;  // rows() plus slack rows
  Shape shape_;
  DType dtype_ = DType::kF32;
};

// The backend for the tensor's type: the reference kernels for F64.
const kernels::Backend& backend_of(const Tensor& x);

// The sum of squares of all elements, in double.
double sum_of_squares(const Tensor& x);

// "Tensor [2, 3] F32
// [[1, 2, 3],
// [4, 5, 6]]", where "..." abbreviates long rows and columns.
std::string to_text(const Tensor& x, int64_t edge = 3);

// Throws ShapeError (`where: <name> ...`) unless x is [rows, cols]; -1 matches any size.
void check_shape(std::string_view where, std::string_view name, const Tensor& x, int64_t rows,
                 int64_t cols);

}  // namespace weft

#endif  // WEFT_TENSOR_TENSOR_H_
