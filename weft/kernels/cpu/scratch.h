// Thread-local scratch memory for the duration of a kernel call.
#ifndef WEFT_KERNELS_CPU_SCRATCH_H_
#define WEFT_KERNELS_CPU_SCRATCH_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels::cpu {

// The memory is reused by the next call on the thread. Only one object may exist per thread at a
// time.
class Scratch {
 public:
  Scratch();
  // Allocates `floats` uninitialised floats, aligned to 64 bytes.
  float* allocate(int64_t floats);

  // Frees on destruction what has been allocated since construction.
  class Mark {
   public:
    explicit Mark(Scratch& scratch);
    ~Mark();
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

   private:
    size_t block_;
    int64_t used_;
  };
};

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_SCRATCH_H_
