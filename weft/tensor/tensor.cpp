#include "weft/tensor/tensor.h"

#include <sys/mman.h>

#include <algorithm>

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/reduce.h"
#include "weft/tensor/pool.h"

namespace weft {
namespace {

// Allocates the storage's control block from the pool.
template <class T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>&) {}  // NOLINT: rebinding is implicit by contract
  T* allocate(size_t n) { return static_cast<T*>(pool_allocate(n * sizeof(T))); }
  void deallocate(T* block, size_t n) noexcept { pool_free(block, n * sizeof(T)); }
  bool operator==(const PoolAllocator&) const { return true; }
};

}  // namespace

Tensor::Storage::~Storage() {
  if (!owner) pool_free(data, bytes);
}

Tensor Tensor::empty(Shape shape, DType dtype) {
  Tensor out;
  out.shape_ = shape;
  out.dtype_ = dtype;
  out.stride_ = shape.cols();
  out.row_capacity_ = shape.rank() < 2 ? shape.rows() : kernels::padded_rows(shape.rows());
  const size_t bytes = static_cast<size_t>(out.row_capacity_ * shape.cols()) * size_of(dtype);
  out.storage_ = std::allocate_shared<Storage>(
      PoolAllocator<Storage>(), static_cast<std::byte*>(pool_allocate(bytes)), bytes);
  return out;
}

Tensor Tensor::zeros(Shape shape, DType dtype) {
  Tensor out = empty(shape, dtype);
  std::memset(out.bytes(), 0, static_cast<size_t>(out.size()) * size_of(dtype));
  return out;
}

Tensor Tensor::zeros_on_demand(Shape shape, DType dtype) {
  const size_t bytes = std::max<size_t>(1, static_cast<size_t>(shape.size()) * size_of(dtype));
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("memory", "cannot allocate {} bytes", bytes);
  madvise(memory, bytes, MADV_HUGEPAGE);  // optional; a failure is harmless
  const auto unmap = [bytes](void* begin) { munmap(begin, bytes); };
  return borrow(std::shared_ptr<void>(memory, unmap), memory, shape, dtype);
}

Tensor Tensor::full(Shape shape, double value, DType dtype) {
  Tensor out = empty(shape, dtype);
  backend_of(out)(kernels::Fill{.y = out, .value = value});
  return out;
}

Tensor Tensor::borrow(std::shared_ptr<const void> owner, const void* data, Shape shape,
                      DType dtype) {
  Tensor out;
  out.shape_ = shape;
  out.dtype_ = dtype;
  out.stride_ = shape.cols();
  out.row_capacity_ = shape.rows();
  auto* memory = static_cast<std::byte*>(const_cast<void*>(data));
  out.storage_ =
      std::make_shared<Storage>(memory, static_cast<size_t>(shape.size()) * size_of(dtype));
  out.storage_->owner = std::move(owner);
  return out;
}

double Tensor::item() const {
  if (!storage_ || size() != 1) {
    fail<ShapeError>("tensor", "item of {}; expected one element", shape_.text());
  }
  if (dtype_ == DType::kF64) return *data<double>();
  return *data<float>();
}

Tensor Tensor::row_range(int64_t begin, int64_t end) const {
  if (begin < 0 || end < begin || end > rows()) {
    fail<ShapeError>("tensor", "rows {}..{} out of range for {}", begin, end, shape_.text());
  }
  Tensor out = *this;
  out.node = -1;
  out.shape_ = {end - begin, cols()};
  out.offset_ += static_cast<size_t>(begin * stride_) * size_of(dtype_);
  // The rows after the view belong to this tensor and are not slack.
  out.row_capacity_ = end == rows() ? row_capacity_ - begin : end - begin;
  return out;
}

Tensor Tensor::col_range(int64_t begin, int64_t end) const {
  if (begin < 0 || end < begin || end > cols()) {
    fail<ShapeError>("tensor", "columns {}..{} out of range for {}", begin, end, shape_.text());
  }
  Tensor out = *this;
  out.node = -1;
  out.shape_ = {rows(), end - begin};
  out.offset_ += static_cast<size_t>(begin) * size_of(dtype_);
  return out;
}

Tensor Tensor::reshape(Shape shape) const {
  if (shape.size() != size() || !is_dense()) {
    fail<ShapeError>("tensor", "cannot view {}{} as {}", shape_.text(),
                     is_dense() ? "" : " (strided)", shape.text());
  }
  Tensor out = *this;
  out.node = -1;
  // A single row is dense even if its stride is larger; the memory after it is not slack then.
  const bool same_rows = shape.cols() == cols() && stride_ == cols() && shape.rank() > 1;
  out.row_capacity_ = same_rows ? row_capacity_ : shape.rows();
  out.shape_ = shape;
  out.stride_ = shape.cols();
  return out;
}

Tensor Tensor::reinterpret(size_t offset, Shape shape, DType dtype) const {
  const auto bytes = static_cast<size_t>(size()), count = static_cast<size_t>(shape.size());
  if (dtype_ != DType::kU8 || !is_dense() || offset > bytes ||
      count > (bytes - offset) / size_of(dtype)) {
    fail<ShapeError>("tensor", "cannot read {} {} at byte {} of {} {}", shape.text(),
                     name_of(dtype), offset, shape_.text(), name_of(dtype_));
  }
  Tensor out = *this;
  out.node = -1;
  out.offset_ += offset;
  out.dtype_ = dtype;
  out.shape_ = shape;
  out.stride_ = shape.cols();
  out.row_capacity_ = shape.rows();
  return out;
}

Tensor Tensor::as_strided(Shape shape) const {
  if (!storage_ || !is_dense() ||
      static_cast<size_t>(shape.size()) > (storage_->bytes - offset_) / size_of(dtype_)) {
    fail<ShapeError>("tensor", "cannot view the storage of {} as {}", shape_.text(), shape.text());
  }
  Tensor out = *this;
  out.node = -1;
  out.shape_ = shape;
  out.stride_ = shape.cols();
  out.row_capacity_ = shape.rows();
  return out;
}

Tensor Tensor::clone() const { return to(dtype_); }

Tensor Tensor::to(DType dtype) const {
  if (!storage_) return {};
  Tensor out = empty(shape_, dtype);
  if (dtype == dtype_ && is_dense()) {
    std::memcpy(out.bytes(), bytes(), static_cast<size_t>(size()) * size_of(dtype));
  } else {
    backend_of (*this)(kernels::Copy{.x = *this, .y = out});
  }
  return out;
}

kernels::View Tensor::view() const {
  return {bytes(), dtype_, rows(), cols(), stride_, row_capacity_};
}

const kernels::Backend& backend_of(const Tensor& x) {
  return x.dtype() == DType::kF64 ? kernels::ref_backend() : kernels::default_backend();
}

double sum_of_squares(const Tensor& x) {
  double sum = 0;
  backend_of(x)(kernels::SumOfSquares{.x = x, .sum = &sum});
  return sum;
}

void check_shape(std::string_view where, std::string_view name, const Tensor& x, int64_t rows,
                 int64_t cols) {
  if (!x) fail<ShapeError>(where, "{} is empty", name);
  if ((rows >= 0 && x.rows() != rows) || (cols >= 0 && x.cols() != cols)) {
    const auto dim = [](int64_t d) { return d < 0 ? std::string("any") : std::to_string(d); };
    fail<ShapeError>(where, "{} has the wrong shape; expected [{}, {}], got {}", name, dim(rows),
                     dim(cols), x.shape().text());
  }
}

}  // namespace weft
